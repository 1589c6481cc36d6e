/**
 * Unicode classes from the tables of the JavaScript engine. User patterns never reach `RegExp`: only property names from
 * the known list do.
 */
import { ANY_SET, type CharSet, charSet, subtract, toRanges, union } from "./char-set.ts";
import { BINARY_PROPERTIES, CATEGORIES, DIGIT, SCRIPTS, UNASSIGNED, WORD } from "./unicode-tables.ts";

export const ASCII_DIGIT: CharSet = [0x30, 0x39];
export const ASCII_WORD: CharSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
export const ASCII_SPACE: CharSet = [0x09, 0x0d, 0x20, 0x20];

/** `\d`, `\s` and `\w` as UTS #18 defines them. */
export const digit = () => remembered("\\d", () => decoded(DIGIT));
export const space = () => SPACE;
export const word = () => remembered("\\w", () => decoded(WORD));

const SPACE: CharSet = [
  ...[0x09, 0x0d, 0x20, 0x20, 0x85, 0x85, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000],
];

/** `\p{…}` by the text between the braces: any case, with or without `_`, `-` and spaces. Undefined if unknown. */
export function namedClass(text: string): CharSet | undefined {
  const [key, value] = text.split(/!?[=:]/, 2) as [string, string?];
  return value === undefined ? loneName(loose(key)) : keyedName(loose(key), loose(value));
}

function loneName(name: string): CharSet | undefined {
  const special = SPECIAL.get(name);
  if (special !== undefined) return special();
  return fromList(CATEGORIES, name, "gc=") ?? fromList(SCRIPTS, name, "sc=") ?? fromList(BINARY_PROPERTIES, name, "");
}

/** A map, so that names such as `constructor` are not found. */
const SPECIAL = new Map<string, () => CharSet>([
  ["any", () => ANY_SET],
  ["ascii", () => [0, 0x7f]],
  ["assigned", () => assigned()],
]);

function keyedName(key: string, value: string): CharSet | undefined {
  if (key === "gc" || key === "generalcategory") return SPECIAL.get(value)?.() ?? fromList(CATEGORIES, value, "gc=");
  if (key === "sc" || key === "script") return fromList(SCRIPTS, value, "sc=");
  if (key === "scx" || key === "scriptextensions") return fromList(SCRIPTS, value, "scx=");
  return undefined;
}

function loose(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_-]/g, "")
    .replace(/^is(?=..)/, "");
}

function fromList(names: string, name: string, prefix: string): CharSet | undefined {
  // A list is built once, when a pattern first names a property.
  let byStandalone = lists.get(names);
  if (byStandalone === undefined) {
    byStandalone = new Map(names.split(/\s+/).map((one) => [loose(one), one]));
    lists.set(names, byStandalone);
  }
  const found = byStandalone.get(name);
  return found === undefined ? undefined : property(`${prefix}${found}`);
}

const lists = new Map<string, Map<string, string>>();
const known = new Map<string, CharSet>();

function remembered(name: string, make: () => CharSet): CharSet {
  let set = known.get(name);
  if (set === undefined) {
    set = make();
    known.set(name, set);
  }
  return set;
}

function property(name: string): CharSet {
  if (/^gc=(Cn|Unassigned)$/.test(name)) return unassigned();
  return remembered(name, () => {
    const known = enumerate(new RegExp(`\\p{${name}}+`, "gu"));
    return /^gc=(C|Other)$/.test(name) ? union(known, unassigned()) : known;
  });
}

const unassigned = () => remembered("unassigned", () => decoded(UNASSIGNED));
const assigned = () => remembered("assigned", () => subtract(ANY_SET, unassigned()));

function decoded(table: string): CharSet {
  const ranges: number[] = [];
  let next = 0;
  for (const range of table.trim().split(/\s+/)) {
    const [gap, more = "0"] = range.split("-");
    const first = next + Number.parseInt(gap!, 36);
    const last = first + Number.parseInt(more, 36);
    ranges.push(first, last);
    next = last + 1;
  }
  return ranges;
}

const PLANE = 0x10000;
/** Planes 15 and 16 are for private use: all their characters have the same properties. */
const PRIVATE = 15 * PLANE;

/** Adjacent characters and their text; only the first one of a private-use range. */
interface CharacterRun {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

let stretches: readonly CharacterRun[] | undefined;

/**
 * Tests a class on every character: about 10 ms, once per property. Characters that are newer than our tables are ignored,
 * so that results do not depend on the runtime.
 */
function enumerate(runs: RegExp): CharSet {
  stretches ??= toRanges(assigned()).map(characterRun);
  const ranges: [number, number][] = [];
  for (const { first, last, text } of stretches) {
    const units = first < PLANE ? 1 : 2;
    // Reuse the expression: V8 compiles each copy again.
    for (let run = runs.exec(text); run !== null; run = runs.exec(text)) {
      const begin = first + run.index / units;
      ranges.push([begin, first >= PRIVATE ? last : begin + run[0].length / units - 1]);
    }
  }
  return charSet(ranges);
}

function characterRun([first, last]: readonly [number, number]): CharacterRun {
  const count = first < PRIVATE ? last - first + 1 : 1;
  const units = new Uint16Array(first < PLANE ? count : count * 2);
  for (let i = 0; i < count; i++) {
    const codePoint = first + i;
    if (first < PLANE) units[i] = codePoint;
    else {
      units[i * 2] = 0xd7c0 + (codePoint >> 10);
      units[i * 2 + 1] = 0xdc00 | (codePoint & 0x3ff);
    }
  }
  return { first, last, text: utf16.decode(units) };
}

// A byte order mark is an ordinary character here.
const utf16 = new TextDecoder("utf-16le", { ignoreBOM: true });

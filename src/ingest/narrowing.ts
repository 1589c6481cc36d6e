/** Which tests hold of a name at a place: type guards, `instanceof`, `in`, and compared properties (TypeScript). */
import { endOfBracket } from "../text/member-chain.ts";
import type { HeldTest } from "./edge-captures.ts";
import type { TextRange } from "./file-names.ts";

/** A test of one name. */
export interface NameTest {
  /** Of the name in the test. */
  readonly at: number;
  /** Where it holds. */
  readonly range: TextRange;
  /** A function that confirms it, or the class of `instanceof`. */
  readonly guard?: TextRange;
  readonly made?: true;
  /** A step that needs nothing else: `&.b`, `&b'x'`. */
  readonly step?: string;
}

const CALLED = /^([\w$.]+)\(\s*([\w$]+)\s*\)$/d;
const INSTANCE = /^([\w$]+)\s+instanceof\s+([\w$.]+)$/d;
const HAS = /^["'](\w+)["']\s+in\s+([\w$]+)$/d;
const COMPARED = /^([\w$]+)\??\.([\w$]+)\s*===?\s*(["'][^"'\\]*["'])$/d;

/** Tests by the name that is tested. */
export function nameTests(
  text: string,
  tests: readonly HeldTest[],
  endOf: (at: number) => number,
): Map<string, NameTest[]> {
  const found = new Map<string, NameTest[]>();
  for (const { when, behind, start, end } of tests) {
    const range = behind ? { start: end, end: endOf(start) } : { start, end };
    const parts = behind ? [unwrapped(text, when)] : conjuncts(text, unwrapped(text, when));
    for (const part of parts) {
      const test = readTest(text, part, range);
      if (test === undefined || isSetIn(text, test.name, range)) continue;
      const known = found.get(test.name);
      if (known) known.push(test);
      else found.set(test.name, [test]);
    }
  }
  return found;
}

function readTest(
  text: string,
  { start, end }: TextRange,
  range: TextRange,
): (NameTest & { name: string }) | undefined {
  if (end - start > MAX_TEST) return undefined;
  const written = text.slice(start, end);
  const called = CALLED.exec(written);
  if (called) return { name: called[2]!, at: start + called.indices![2]![0], range, guard: at(called, 1, start) };
  const instance = INSTANCE.exec(written);
  if (instance) return { name: instance[1]!, at: start, range, guard: at(instance, 2, start), made: true };
  const has = HAS.exec(written);
  if (has) return { name: has[2]!, at: start + has.indices![2]![0], range, step: `&.${has[1]}` };
  const compared = COMPARED.exec(written);
  if (!compared) return undefined;
  return { name: compared[1]!, at: start, range, step: `&${compared[2]}'${compared[3]!.slice(1, -1)}'` };
}

const MAX_TEST = 120;

function at({ indices }: RegExpExecArray, group: number, start: number): TextRange {
  const [from, to] = indices![group]!;
  return { start: start + from, end: start + to };
}

/** Whether the name gets another value. */
function isSetIn(text: string, name: string, { start, end }: TextRange): boolean {
  for (let found = text.indexOf(name, start); found >= 0 && found < end; found = text.indexOf(name, found + 1)) {
    const before = text[found - 1] ?? " ";
    if (!/[\w$.]/.test(before) && /^\s*=[^=>]/.test(text.slice(found + name.length, found + name.length + 8)))
      return true;
  }
  return false;
}

/** Without the brackets around it. */
function unwrapped(text: string, range: TextRange): TextRange {
  let { start, end } = range;
  for (;;) {
    while (start < end && /\s/.test(text[start]!)) start++;
    while (start < end && /\s/.test(text[end - 1]!)) end--;
    if (text[start] !== "(" || endOfBracket(text, start) !== end) return { start, end };
    start++;
    end--;
  }
}

/** The parts of `a && b && c`; none of a condition with an `||`. */
function conjuncts(text: string, { start, end }: TextRange): TextRange[] {
  const parts: TextRange[] = [];
  let from = start;
  for (let i = start; i < end; i++) {
    const char = text[i]!;
    if ("([{\"'`".includes(char)) i = endOfBracket(text, i) - 1;
    else if (text.startsWith("||", i) || text.startsWith("??", i) || char === "?") return [];
    else if (text.startsWith("&&", i)) {
      parts.push(unwrapped(text, { start: from, end: i }));
      from = i + 2;
    }
  }
  return [...parts, unwrapped(text, { start: from, end })];
}

/**
 * Edits of JSON and JSON with comments that leave every other byte as it is. The parser's own `modify` reformats the
 * lines it touches, so places are taken from its tree and the text is put together here.
 */
import { createScanner, findNodeAtLocation, type Node, parse, parseTree } from "jsonc-parser";
import { isObject, type Path } from "./value.ts";

const OPTIONS = { allowTrailingComma: true, disallowComments: false, allowEmptyContent: true };

/** The file's value; a file without any is an empty object. Throws a sentence that names line and column. */
export function read(text: string): unknown {
  const errors: { error: number; offset: number; length: number }[] = [];
  const value: unknown = parse(text, errors, OPTIONS);
  const [first] = errors;
  if (first) throw syntaxError(text, first.offset);
  if (value !== undefined && !isObject(value)) throw new Error("the file holds no object");
  return value ?? {};
}

/** The text with `entry` at the path: added, or brought up to date key by key. */
export function put(text: string, path: Path, entry: Readonly<Record<string, unknown>>): string {
  const present = nodeAt(text, path);
  if (present?.type !== "object") return set(text, path, entry);
  return Object.entries(entry).reduce((before, [key, value]) => set(before, [...path, key], value), text);
}

export function remove(text: string, path: Path): string {
  const property = nodeAt(text, path)?.parent;
  const siblings = property?.parent?.children;
  if (!property || !siblings) return text;
  const end = property.offset + property.length;
  const comma = commaAfter(text, end, text.length);
  const rest = text.slice(comma === undefined ? end : comma + 1);
  // Remove the line break of an entry that has its own line; on a shared line, the text before may be a comment.
  const before = text.slice(0, property.offset);
  const kept = /^[ \t]*\r?\n/.test(rest) ? before.trimEnd() : before;
  const previous = siblings[siblings.indexOf(property) - 1];
  if (comma !== undefined || !previous) return kept + rest;
  const orphan = commaAfter(text, previous.offset + previous.length, property.offset)!;
  return kept.slice(0, orphan) + kept.slice(orphan + 1) + rest;
}

function set(text: string, path: Path, value: unknown): string {
  const root = parseTree(text, [], OPTIONS);
  const style = detectStyle(text);
  if (root === undefined) return text + block({ ...nested(path, value) }, "", style) + style.eol;
  const present = findNodeAtLocation(root, [...path]);
  if (present) {
    const written = block(value, lineIndent(text, present.offset), style);
    return text.slice(0, present.offset) + written + text.slice(present.offset + present.length);
  }
  const { object, rest } = deepest(root, path);
  const [key, ...inner] = rest;
  return insert(text, object, { key: key!, value: inner.length > 0 ? nested(inner, value) : value, style });
}

/** The innermost object on the path that exists, and the keys that do not. */
function deepest(root: Node, path: Path): { object: Node; rest: Path } {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const object = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth));
    if (object?.type === "object") return { object, rest: path.slice(depth) };
    if (object) throw new Error(`"${path.slice(0, depth).join(".")}" is not an object`);
  }
  throw new Error("the file holds no object");
}

interface Insertion {
  readonly key: string;
  readonly value: unknown;
  readonly style: JsonStyle;
}

function insert(text: string, object: Node, { key, value, style }: Insertion): string {
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const base = lineIndent(text, object.offset);
  if (last && !text.slice(object.offset, close).includes("\n")) {
    const end = last.offset + last.length;
    return `${text.slice(0, end)}, ${JSON.stringify(key)}: ${JSON.stringify(value)}${text.slice(end)}`;
  }
  const indent = last ? lineIndent(text, object.children![0]!.offset) : base + style.unit;
  const line = `${style.eol}${indent}${JSON.stringify(key)}: ${block(value, indent, style)}`;
  // Behind the last property's own comment, in front of the white space before the brace.
  const end = text.slice(0, close).trimEnd().length;
  const tail = text.slice(end, close).includes("\n") ? text.slice(end) : `${style.eol}${base}${text.slice(close)}`;
  if (!last) return text.slice(0, end) + line + tail;
  const lastEnd = last.offset + last.length;
  const comma = commaAfter(text, lastEnd, close) === undefined ? "," : "";
  return text.slice(0, lastEnd) + comma + text.slice(lastEnd, end) + line + tail;
}

/** Where the comma is that follows a value, comments skipped. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text.slice(from, to), true);
  scanner.scan();
  const next = from + scanner.getTokenOffset();
  return next < to && text[next] === "," ? next : undefined;
}

function nodeAt(text: string, path: Path): Node | undefined {
  const root = parseTree(text, [], OPTIONS);
  return root && findNodeAtLocation(root, [...path]);
}

function nested(path: Path, value: unknown): Record<string, unknown> {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;
}

interface JsonStyle {
  readonly eol: string;
  readonly unit: string;
}

function detectStyle(text: string): JsonStyle {
  const indented = /^([ \t]+)"/m.exec(text)?.[1];
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", unit: indented ?? "  " };
}

/** The white space with which the line of an offset begins. */
function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}

function block(value: unknown, indent: string, { eol, unit }: JsonStyle): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}

function syntaxError(text: string, offset: number): Error {
  const before = text.slice(0, offset).split("\n");
  return new Error(`it cannot be read at line ${before.length}, column ${before.at(-1)!.length + 1}`);
}

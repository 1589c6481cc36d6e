/**
 * Edits of TOML as text: a table of our own at the end of the file, its lines rewritten where it is already there.
 * Whatever this does not recognise (inline tables, dotted keys) comes out wrong and is refused by the check in plan.ts.
 */
import { parse, TomlError } from "smol-toml";
import type { Path } from "./value.ts";

const KEY = /^[A-Za-z0-9_-]+$/;

export function read(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new Error(`it cannot be read at line ${error.line}, column ${error.column}`);
  }
}

export function put(text: string, path: Path, entry: Readonly<Record<string, unknown>>): string {
  const lines = keepLineEnds(text);
  const table = tableAt(lines, path);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  if (table === undefined) return text + gap(text, eol) + block(path, entry, eol);
  return Object.entries(entry).reduce((before, [key, value]) => setKey(before, path, { key, value, eol }), text);
}

/** Without the table, the tables below it and the blank line before it. */
export function remove(text: string, path: Path): string {
  const lines = keepLineEnds(text);
  const table = tableAt(lines, path);
  if (table === undefined) return text;
  const before = lines.slice(0, table.start);
  while (before.length > 0 && before.at(-1)!.trim() === "") before.pop();
  const after = lines.slice(lastLineOfTable(lines, path, table) + 1);
  return [...before, ...after].join("");
}

interface Table {
  readonly start: number;
  /** The line after the table's last key. */
  readonly end: number;
}

function tableAt(lines: readonly string[], path: Path): Table | undefined {
  const start = lines.findIndex((line) => samePath(tableHeader(line), path));
  if (start < 0) return undefined;
  const next = lines.findIndex((line, index) => index > start && tableHeader(line) !== undefined);
  return { start, end: next < 0 ? lines.length : next };
}

/** The last line that belongs to the path: its own keys and its sub-tables, without what leads up to the next table. */
function lastLineOfTable(lines: readonly string[], path: Path, { end }: Table): number {
  let last = end;
  while (last < lines.length) {
    const header = tableHeader(lines[last]!);
    if (header !== undefined && !path.every((key, index) => header[index] === key)) break;
    last++;
  }
  last--;
  if (last === lines.length - 1) return last;
  while (/^\s*(#.*)?$/.test(lines[last]!.trimEnd())) last--;
  return last;
}

function setKey(text: string, path: Path, { key, value, eol }: { key: string; value: unknown; eol: string }): string {
  const lines = keepLineEnds(text);
  const { start, end } = tableAt(lines, path)!;
  const at = lines.findIndex((line, i) => i > start && i < end && line.split("=", 1)[0]!.trim() === key);
  const line = `${key} = ${JSON.stringify(value)}${eol}`;
  if (at < 0) lines.splice(start + 1, 0, line);
  else lines[at] = line;
  return lines.join("");
}

function block(path: Path, entry: Readonly<Record<string, unknown>>, eol: string): string {
  const keys = Object.entries(entry).map(
    ([key, value]) => `${key} = ${JSON.stringify(value).replaceAll('","', '", "')}`,
  );
  return [`[${path.map(quoted).join(".")}]`, ...keys, ""].join(eol);
}

function gap(text: string, eol: string): string {
  if (text.trim() === "") return "";
  return text.endsWith("\n") ? eol : eol + eol;
}

function quoted(key: string): string {
  return KEY.test(key) ? key : JSON.stringify(key);
}

/** The keys of a `[table]` line; an array of tables has other keys than any path of ours. */
function tableHeader(line: string): Path | undefined {
  const header = /^\s*\[(?!\[)([^\]]*)\]\s*(#.*)?$/.exec(line.trimEnd())?.[1];
  if (header === undefined) return /^\s*\[\[/.test(line) ? [] : undefined;
  return header.split(".").map((key) => key.trim().replace(/^(["'])(.*)\1$/, "$2"));
}

function samePath(header: Path | undefined, path: Path): boolean {
  return header?.length === path.length && path.every((key, index) => header[index] === key);
}

function keepLineEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

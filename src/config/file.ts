/** One config.toml as a layer. Reading it executes nothing and writes nothing. */
import { parse, TomlError } from "smol-toml";
import { readBounded } from "../io/bounded-read.ts";
import { CompassError } from "../model/errors.ts";
import type { Layer } from "./load.ts";

/** A configuration is a few lines; whatever is larger is not one. */
const MAX_BYTES = 256 * 1024;
/** Options have two or three parts. The limit keeps a hostile key from exhausting the stack. */
const MAX_KEY_PARTS = 32;

/** The layer of a file; undefined when there is no such file. */
export function fileLayer(path: string): Layer | undefined {
  const text = read(path);
  return text === undefined ? undefined : textLayer(path, text);
}

export function textLayer(path: string, text: string): Layer {
  return {
    values: new Map(flatten(parsed(path, text), (key) => refuse(tooManyParts(`${path}:${findLine(text, key)}`)))),
    where: (key) => `${path}:${findLine(text, key)}`,
  };
}

function read(path: string): string | undefined {
  const read = readBounded(path, MAX_BYTES);
  if ("bytes" in read) return read.bytes.toString("utf8");
  return read.problem.code === "missing" ? undefined : refuse(`${path}: the file ${read.problem.reason}`);
}

function parsed(path: string, text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return refuse(`${path}:${error.line}: ${error.message.split("\n")[0]}`);
  }
}

/** Tables become dotted keys; an array or a date stays the value it is, to be refused with its key. */
function flatten(
  table: Record<string, unknown>,
  refuseDeep: (key: string) => never,
  parents: readonly string[] = [],
): [string, unknown][] {
  return Object.entries(table).flatMap(([name, value]): [string, unknown][] => {
    const parts = [...parents, name];
    const key = parts.join(".");
    if (!isTable(value)) return [[key, value]];
    return parts.length < MAX_KEY_PARTS ? flatten(value, refuseDeep, parts) : refuseDeep(key);
  });
}

function tooManyParts(where: string): string {
  return `${where}: a key has more than ${MAX_KEY_PARTS} parts; no option has`;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function refuse(reason: string): never {
  throw new CompassError("invalid_input", { reason });
}

/** 1-based line of `table.key`, of its table when only that is found, else 1. */
export function findLine(toml: string, key: string): number {
  const target = key.split(".");
  let table: string[] = [];
  let tableLine = 1;
  for (const [index, line] of toml.split("\n").entries()) {
    const text = line.trim();
    if (text.startsWith("[")) {
      table = parts(text.replace(/^\[+/, "").split("]", 1)[0]!);
      if (startsWith(target, table)) tableLine = index + 1;
      if (startsWith(table, target)) return index + 1;
      continue;
    }
    const equals = text.indexOf("=");
    if (equals < 0 || text.startsWith("#")) continue;
    const path = [...table, ...parts(text.slice(0, equals))];
    // `query = { limit = 3 }` holds its keys on the same line, and `a.b.c = 1` the tables above its value.
    if (startsWith(target, path) || startsWith(path, target)) return index + 1;
  }
  return tableLine;
}

function parts(dotted: string): string[] {
  return dotted.split(".").map((part) => part.trim().replace(/^["']|["']$/g, ""));
}

/** Whether `path` is `head` or below it. */
function startsWith(path: readonly string[], head: readonly string[]): boolean {
  return head.every((part, index) => path[index] === part);
}

/** One config.toml as a layer. Reading it executes nothing and writes nothing. */
import { readFileSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { CompassError } from "../model/errors.ts";
import { lineOf } from "./line-of.ts";
import type { Layer } from "./resolve.ts";

/** A configuration is a few lines; whatever is larger is not one. */
const MAX_BYTES = 256 * 1024;

/** The layer of a file; undefined when there is no such file. */
export function fileLayer(path: string): Layer | undefined {
  const text = read(path);
  return text === undefined ? undefined : textLayer(path, text);
}

export function textLayer(path: string, text: string): Layer {
  return {
    values: new Map(flatten(parsed(path, text))),
    where: (key) => `${path}:${lineOf(text, key)}`,
  };
}

function read(path: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_BYTES) refuse(`${path}: the file is larger than ${MAX_BYTES} bytes`);
    return bytes.toString("utf8");
  } catch (error) {
    if (error instanceof CompassError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return refuse(`${path}: cannot be read (${code})`);
  }
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
function flatten(table: Record<string, unknown>, prefix = ""): [string, unknown][] {
  return Object.entries(table).flatMap(([key, value]): [string, unknown][] =>
    isTable(value) ? flatten(value, `${prefix}${key}.`) : [[prefix + key, value]],
  );
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function refuse(reason: string): never {
  throw new CompassError("invalid_input", { reason });
}

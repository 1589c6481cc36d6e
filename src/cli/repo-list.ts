/**
 * A list of repositories, one a line: the path of a checkout or a bare clone, then, if it is not what is checked out, a ref.
 * A path with spaces stands in double quotes; `#` begins a comment; an empty line means nothing.
 */
import { resolve } from "node:path";
import { CompassError } from "../model/errors.ts";

export interface ListedRepository {
  /** Absolute. */
  readonly path: string;
  /** Absent: what is checked out, or the default branch of a bare clone. */
  readonly ref?: string;
}

const LINE = /^(?:"(?<quoted>[^"]+)"|(?<plain>[^\s"]\S*))(?:\s+(?<ref>[^\s#"]\S*))?\s*(?:#.*)?$/;

/** Relative paths are meant from `directory`. What is listed twice is there once. */
export function parseRepoList(text: string, directory: string): ListedRepository[] {
  const found = new Map<string, ListedRepository>();
  for (const [at, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const { quoted, plain, ref } = LINE.exec(trimmed)?.groups ?? {};
    if (quoted === undefined && plain === undefined) throw unreadable(at + 1, trimmed);
    const listed = { path: resolve(directory, (quoted ?? plain)!), ...(ref !== undefined && { ref }) };
    found.set(`${listed.path}\0${ref ?? ""}`, listed);
  }
  if (found.size === 0)
    throw new CompassError("invalid_input", { reason: "the list names no repository", parameter: "--repos" });
  return [...found.values()];
}

function unreadable(line: number, text: string): CompassError {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  const reason = `line ${line} of the list is not a path and at most one ref: ${shown} (a path with spaces stands in double quotes)`;
  return new CompassError("invalid_input", { reason, parameter: "--repos" });
}

/** The files that a git configuration includes. Git reads them completely, whatever they are. */
import { dirname, join, resolve } from "node:path";
import { readBoundedText } from "../../io/bounded-read.ts";
import { userHome } from "../../io/home.ts";
import { CONFIG_BYTES } from "./repository-files.ts";

/** Git gives up after ten levels. */
const MOST_LEVELS = 10;
const MOST_FILES = 200;

/** Also of `includeIf`, whether its condition holds or not. */
export function includedFiles(files: readonly string[]): string[] {
  const found = new Set<string>();
  let level = files;
  for (let depth = 0; depth < MOST_LEVELS && level.length > 0 && found.size < MOST_FILES; depth++) {
    const next = level.flatMap((file) => includedBy(file)).filter((file) => !found.has(file));
    for (const file of next) found.add(file);
    level = [...new Set(next)];
  }
  return [...found].slice(0, MOST_FILES);
}

function includedBy(file: string): string[] {
  const text = readBoundedText(file, CONFIG_BYTES) ?? "";
  if (!/\[\s*include/i.test(text)) return [];
  let isIncluding = false;
  const paths: string[] = [];
  for (const line of text.replace(/\\\r?\n/g, "").split("\n")) {
    const header = /^\s*\[([^\]"]*)(?:"[^"]*")?[^\]]*\]/.exec(line);
    if (header) isIncluding = /^\s*include(?:if)?[\s.]*/i.test(header[1]!);
    const value = isIncluding && /^\s*path\s*=(.*)$/is.exec(line.slice(header?.[0].length ?? 0))?.[1];
    if (value) paths.push(resolved(unquoted(value), file));
  }
  return paths;
}

function resolved(path: string, file: string): string {
  return path.startsWith("~/") ? join(userHome(), path.slice(2)) : resolve(dirname(file), path);
}

/** Quotes may begin and end within a value; a comment begins outside of them. */
function unquoted(value: string): string {
  let text = "";
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const char = value[at]!;
    if (char === '"') isQuoted = !isQuoted;
    else if (char === "\\") text += value[++at] ?? "";
    else if (!isQuoted && (char === "#" || char === ";")) break;
    else text += char;
  }
  return text.trim();
}

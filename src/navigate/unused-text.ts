/**
 * Occurrences of names that no site explains: strings, templates, configuration, languages without references, and
 * whatever a parser could not read; also names that strings are put together to. Comments and documentation do not count.
 */
import { languageById } from "../languages/index.ts";
import { nameLine } from "../model/code.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { FileRow, Snapshot } from "../ports/snapshot.ts";
import { sitesNamed } from "./bind/module.ts";
import { referenceRules } from "./reference-rules.ts";
import type { Candidate } from "./use-counts.ts";

const PROSE =
  /\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|tex|org|pod|snap|svg|map)$|(?:^|\/)(?:CHANGE|HISTORY|LICEN)[^/]*$/i;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*[?!]?/gu;
/** Names of the shell have more letters. */
const SHELL_WORD = /[\p{L}_][\p{L}\p{N}_:.-]*/gu;
const SHELL = "bash";

export async function namesInText(candidates: readonly Candidate[], at: Snapshot): Promise<ReadonlySet<Candidate>> {
  const open = Map.groupBy(candidates, ({ symbol }) => symbol.name.replace(/^#/, ""));
  const found = new Set<Candidate>();
  const composed = new Map(
    [...new Set(candidates.map(({ language }) => language))].map((it) => [it, new ComposedNames()]),
  );
  for (const file of await at.files()) {
    if (open.size === 0) break;
    if (PROSE.test(file.path)) continue;
    const text = await at.text(file);
    const isShell = file.language === SHELL;
    composed.get(file.language)?.read(text, isShell);
    const hits: { readonly name: string; readonly offset: number }[] = [];
    for (const { 0: word, index } of text.matchAll(isShell ? SHELL_WORD : WORD)) {
      if (open.has(word)) hits.push({ name: word, offset: index });
      else if (/[?!]$/.test(word) && open.has(word.slice(0, -1))) hits.push({ name: word.slice(0, -1), offset: index });
    }
    if (hits.length === 0) continue;
    const explained = await explainedLines(file, at);
    for (const { name, offset } of hits) {
      const alike = open.get(name);
      if (alike === undefined || explained(name, offset, text)) continue;
      for (const it of alike) if (!isInside(it, file.path, offset)) found.add(it);
      const left = alike.filter((it) => !found.has(it));
      if (left.length === 0) open.delete(name);
      else open.set(name, left);
    }
    if (isLongTurn()) await nextTurn();
  }
  for (const it of candidates) {
    if (!found.has(it) && composed.get(it.language)!.mayBe(it.symbol.name)) found.add(it);
    if (isLongTurn()) await nextTurn();
  }
  return found;
}

function isInside({ path, symbol: { span } }: Candidate, file: string, offset: number): boolean {
  return path === file && offset >= span.start && offset < span.end;
}

export type IsExplained = (name: string, offset: number, text: string) => boolean;

/** Whether an occurrence is a definition, a site or an import that binding has read, or a comment. */
export async function explainedLines(file: FileRow, at: Snapshot): Promise<IsExplained> {
  if (referenceRules(file.language) === undefined) return () => false;
  const [facts] = await at.facts([file]);
  const { symbols } = await at.record(file);
  const lines = new Map<string, Set<number>>();
  const add = (name: string, line: number) => {
    const known = lines.get(name);
    if (known) known.add(line);
    else lines.set(name, new Set([line]));
  };
  for (const it of symbols) add(it.name.replace(/^#/, ""), nameLine(it));
  for (const { line, name, local, exported } of facts!.imports)
    for (const one of [name, local, exported]) if (one !== undefined) add(one, line);
  const isSite = (name: string, line: number) => {
    const { from, to } = sitesNamed(facts!, name);
    return facts!.sites.lines.subarray(from, to).includes(line);
  };
  const comment = commentPattern(languageById(file.language)?.docMarkers ?? []);
  let line = 1;
  let start = 0;
  return (name, offset, text) => {
    for (let end = text.indexOf("\n", start); end >= 0 && end < offset; end = text.indexOf("\n", start)) {
      start = end + 1;
      line++;
    }
    const isRead = lines.get(name)?.has(line) || isSite(name, line) || isSite(`#${name}`, line);
    return isRead || comment.test(text.slice(start, offset));
  };
}

/** A line whose head is a comment; cgo's exports and compiler directives are none. */
function commentPattern(markers: readonly string[]): RegExp {
  const plain = markers.filter((it) => !/["']/.test(it)).map((it) => it.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(
    `(?:^|\\s)(?:${plain.filter((it) => it !== "\\*").join("|") || "$^"})(?!export |go:)[^"'\`]*$|^\\s*\\*(?!/)`,
  );
}

/** The constant parts of a string: what a name must begin and end with. */
interface Frame {
  readonly before: string;
  readonly after: string;
}

/** Shorter parts fit names by chance; two letters do where a capital follows: `` `on${event}` ``. */
const ENOUGH_LETTERS = 3;
const LEAST_LETTERS = 2;
const LETTERS = "[\\p{L}\\p{N}_:-]{0,64}";
const HOLE = "(?:[$#]?\\{[^{}\\n]{0,80}\\}|\\$(?:\\d|[\\p{L}_][\\p{L}\\p{N}_]*)|\\\\\\([^()\\n]{0,80}\\)|%[sv])";
const FRAME = `(${LETTERS})${HOLE}(?:[\\p{L}\\p{N}_:-]{0,64}${HOLE}){0,4}(${LETTERS})`;
/** A string of nothing but a name's letters and at least one hole. */
const IN_QUOTES = new RegExp(`(?<quote>["'\`])${FRAME}\\k<quote>`, "gu");
/** The shell needs no quotes. */
const IN_WORD = new RegExp(`(?<=^|[\\s"'(;|&\`])${FRAME}(?=$|[\\s"');|&\`])`, "gmu");
/** PHP's dot needs blanks here: elsewhere it is the access to a member. */
const PLUS = "(?:\\s*(?:\\+|\\.\\.|<>)\\s*|\\s+\\.\\s+)";
const BEFORE_PLUS = new RegExp(`(["'])([\\p{L}\\p{N}_:-]{${LEAST_LETTERS},64})\\1(?=${PLUS})`, "gu");
const AFTER_PLUS = new RegExp(`(?<=${PLUS})(["'])([\\p{L}\\p{N}_:-]{${LEAST_LETTERS},64})\\1`, "gu");

/** Names of one language that its code may put together. */
class ComposedNames {
  readonly #frames = new Map<string, Frame>();

  read(text: string, isShell: boolean): void {
    for (const match of text.matchAll(isShell ? IN_WORD : IN_QUOTES)) {
      const [before, after] = match.slice(isShell ? 1 : 2);
      this.#add(before!, after!);
    }
    if (isShell) return;
    for (const [, , before] of text.matchAll(BEFORE_PLUS)) this.#add(before!, "");
    for (const [, , after] of text.matchAll(AFTER_PLUS)) this.#add("", after!);
  }

  mayBe(name: string): boolean {
    for (const { before, after } of this.#frames.values()) {
      const fits = name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
      if (!fits) continue;
      if (countLetters(before + after) >= ENOUGH_LETTERS || /^\p{Lu}/u.test(name.slice(before.length))) return true;
    }
    return false;
  }

  #add(before: string, after: string): void {
    if (countLetters(before + after) >= LEAST_LETTERS) this.#frames.set(`${before}\0${after}`, { before, after });
  }
}

function countLetters(text: string): number {
  return text.replace(/[^\p{L}\p{N}_]/gu, "").length;
}

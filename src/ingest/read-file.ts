/** One file, from its bytes to its record: decode → mask → classify → parse → extract → chunk. What goes wrong is data. */
import type { Language } from "../languages/define.ts";
import { languageOf } from "../languages/index.ts";
import type { CodeSymbol, FileRecord, Problem, SkipReason } from "../model/code.ts";
import type { Facts, RawEdges } from "../model/edges.ts";
import type { ContentHash } from "../model/ids.ts";
import type { Grammars, Parsed } from "../ports/grammars.ts";
import { decode } from "../text/decode.ts";
import { lineStarts } from "../text/lines.ts";
import { maskSecrets } from "../text/mask-secrets.ts";
import { chunk } from "./chunk.ts";
import { classifyText, type SecretSettings } from "./classify.ts";
import { extract } from "./extract.ts";
import { extractFacts } from "./facts.ts";

/** Longer than any file people write takes; shorter than anybody waits. */
const PARSE_BUDGET_MS = 2_000;

interface SourceFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly contentHash: ContentHash;
  readonly mode?: "text";
  /** The caller wants the symbols and nothing of what the file uses. */
  readonly only?: "definitions";
}

type ReadFileResult = { readonly skip: SkipReason } | FileReading;

export interface FileReading {
  readonly record: FileRecord;
  readonly text: string;
  /** The text's bytes, where each is a character: they are gone over in three quarters of the time. */
  readonly ascii?: Uint8Array;
  readonly facts?: Facts;
  /** The text is not that of the bytes: secrets in it are masked. */
  readonly masked?: true;
}

export async function readFile(
  file: SourceFile,
  grammars: Grammars,
  settings: SecretSettings,
): Promise<ReadFileResult> {
  const decoded = decode(file.bytes);
  if (decoded === undefined) return { skip: "binary" };
  const text = settings.includeSecrets ? decoded.text : maskSecrets(decoded.text);
  const isMasked = text !== decoded.text;
  const starts = lineStarts(text);
  const language = languageOf(file.path, text);
  const isCode = language.grammar !== undefined;
  const skip = classifyText({ path: file.path, text, lineCount: starts.length, isCode }, settings);
  if (skip !== undefined) return { skip };
  const { symbols, problems, facts } = await extractSymbols(file, language, text, starts, grammars);
  const record: FileRecord = {
    path: file.path,
    contentHash: file.contentHash,
    language: language.id,
    lineCount: starts.length,
    byteCount: file.bytes.length,
    symbols,
    chunks: chunk(text, symbols, starts),
    problems: [
      ...(decoded.lossy ? [{ kind: "decode_loss" as const }] : []),
      ...problems,
      ...(isMasked ? [{ kind: "masked_secrets" as const }] : []),
    ],
  };
  const ascii = decoded.ascii && !isMasked && { ascii: file.bytes };
  return { record, text, ...ascii, ...(facts && { facts }), ...(isMasked && { masked: true }) };
}

interface ExtractedSymbols {
  readonly symbols: readonly CodeSymbol[];
  readonly problems: readonly Problem[];
  readonly facts?: Facts;
}

async function extractSymbols(
  file: SourceFile,
  language: Language,
  text: string,
  lineStarts: readonly number[],
  grammars: Grammars,
): Promise<ExtractedSymbols> {
  if (file.mode === "text") return { symbols: [], problems: [{ kind: "parser_crash" }] };
  try {
    const parsed = await parseFile(language, text, grammars, file.only);
    if (parsed === undefined) return { symbols: [], problems: [] };
    const places: number[] = [];
    const symbols = extract(language, file.path, text, parsed, places);
    const { edges } = parsed;
    const facts = edges && extractFacts({ language, text, lineStarts, symbols, places, edges });
    return { symbols, problems: parseProblems(parsed), ...(facts && { facts }) };
  } catch (error) {
    // A file that breaks the extractor is a bug of ours; the file is still searchable, and the report names it.
    return { symbols: [], problems: [{ kind: "parser_crash", detail: String(error) }] };
  }
}

/** Undefined for languages without symbols. */
async function parseFile(
  language: Language,
  text: string,
  grammars: Grammars,
  only: "definitions" | undefined,
): Promise<Parsed | undefined> {
  if (language.grammar === undefined) return language.read?.(text);
  return parse(language, text, grammars, PARSE_BUDGET_MS, only);
}

const PROBLEM_OF = {
  clean: undefined,
  partial: "parse_error",
  timeout: "parse_timeout",
  crash: "parser_crash",
} as const;

function parseProblems(parsed: Parsed): Problem[] {
  const kind = PROBLEM_OF[parsed.outcome];
  if (kind === undefined) return [];
  return [parsed.detail === undefined ? { kind } : { kind, detail: parsed.detail }];
}

/** Both tries keep every offset, so the result speaks of `text`. */
export async function parse(
  language: Language,
  text: string,
  grammars: Grammars,
  budgetMs: number,
  only?: "definitions",
): Promise<Parsed> {
  const { id, quiet, secondTry: simpler } = detectDialect(text, language);
  await grammars.prepare([id]);
  const seen = quiet?.(text) ?? text;
  const best = grammars.parse(id, seen, budgetMs, { ...(only && { only }), ...(simpler && { simpler }) });
  return best.edges === undefined || seen === text ? best : { ...best, edges: withHidden(best.edges, text, seen) };
}

function detectDialect(text: string, language: Language): Language {
  return language.dialect?.isSpokenIn(text) ? language.dialect.language : language;
}

const WORD = /[A-Za-z_]\w*/g;

/** Names that the grammar was not shown are used all the same. */
function withHidden(edges: RawEdges, text: string, seen: string): RawEdges {
  const [roles, starts, ends, matches] = [[...edges.roles], [...edges.starts], [...edges.ends], [...edges.matches]];
  let match = (matches.at(-1) ?? 0) + 1;
  for (let at = differsAt(text, seen, 0); at < text.length; at = differsAt(text, seen, at + 1)) {
    const from = at;
    while (at < text.length && seen[at] === " " && text[at] !== "\n") at++;
    for (const { 0: word, index } of text.slice(from, at).matchAll(WORD)) {
      roles.push("ref");
      starts.push(from + index);
      ends.push(from + index + word.length);
      matches.push(match++);
    }
  }
  return { roles, starts, ends, matches };
}

/** A function of its own: as part of that loop it was optimised and given up again 80 times in a million lines. */
function differsAt(text: string, seen: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) === seen.charCodeAt(at)) at++;
  return at;
}

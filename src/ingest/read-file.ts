/** Turns the bytes of a file into its record: decode → mask → classify → parse → extract → chunk. Problems are data. */
import type { Language } from "../languages/define.ts";
import { detectLanguage, languageById } from "../languages/index.ts";
import type { CodeSymbol, FileRecord, Problem, SkipReason } from "../model/code.ts";
import { type Facts, NO_FACTS, type RawEdges } from "../model/edges.ts";
import type { ContentHash } from "../model/ids.ts";
import type { Grammars, Parsed } from "../ports/grammars.ts";
import { decode } from "../text/decode.ts";
import { lineStarts } from "../text/lines.ts";
import { maskSecrets } from "../text/mask-secrets.ts";
import { chunk } from "./chunk.ts";
import { classifyText, isGenerated, isNotebook, type SecretSettings } from "./classify.ts";
import { type ConnectionSource, readConnections } from "./connections/connections.ts";
import { withEmbedded } from "./embedded.ts";
import { extract } from "./extract.ts";
import { extractFacts } from "./facts.ts";
import { notebookSource } from "./notebook.ts";

/** More than any hand-written file needs. */
const PARSE_BUDGET_MS = 2_000;

interface SourceFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly contentHash: ContentHash;
  readonly mode?: "text";
  /** Extract symbols but no edges. */
  readonly only?: "definitions";
}

type ReadFileResult = { readonly skip: SkipReason } | FileReading;

export interface FileReading {
  readonly record: FileRecord;
  readonly text: string;
  readonly facts?: Facts;
  /** The text differs from the bytes: secrets were masked, or it is the code of a notebook. */
  readonly masked?: true;
}

export async function readFile(
  file: SourceFile,
  grammars: Grammars,
  settings: SecretSettings & { readonly maxFileBytes: number },
): Promise<ReadFileResult> {
  const decoded = decode(file.bytes);
  if (decoded === undefined) return { skip: "binary" };
  const notebook = isNotebook(file.path) ? notebookSource(decoded.text) : undefined;
  const written = notebook?.text ?? decoded.text;
  if (isNotebook(file.path) && written.length > settings.maxFileBytes) return { skip: "too_large" };
  const text = settings.includeSecrets ? written : maskSecrets(written);
  const isMasked = text !== written;
  const starts = lineStarts(text);
  const language = (notebook && languageById(notebook.language)) ?? detectLanguage(file.path, text);
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
      ...(isCode && isGenerated(file.path, text) ? [{ kind: "generated" as const }] : []),
      ...(decoded.lossy ? [{ kind: "decode_loss" as const }] : []),
      ...problems,
      ...(isMasked ? [{ kind: "masked_secrets" as const }] : []),
    ],
  };
  return { record, text, ...(facts && { facts }), ...((isMasked || notebook) && { masked: true }) };
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
    const parsed =
      language.grammar === undefined
        ? language.read?.(text)
        : await parse(language, text, grammars, PARSE_BUDGET_MS, file.only);
    // A language without symbols.
    if (parsed === undefined) {
      const source = { path: file.path, text, lineStarts, symbols: [], places: [] };
      const facts = connectionsAlone(source, language, file.only);
      return { symbols: [], problems: [], ...(facts && { facts }) };
    }
    const all = language.grammar === undefined ? parsed : withEmbedded(parsed, text, lineStarts);
    const places: number[] = [];
    const symbols = extract(language, file.path, text, all, places);
    const { edges } = all;
    const source = { path: file.path, text, lineStarts, symbols, places };
    const facts = edges ? extractFacts({ ...source, language, edges }) : connectionsAlone(source, language, file.only);
    const kind = PROBLEM_OF[parsed.outcome];
    const detail = parsed.detail !== undefined && { detail: parsed.detail };
    const lines = parsed.errors && {
      lines: parsed.errors.map(({ startRow, endRow }) => ({ lineStart: startRow + 1, lineEnd: endRow + 1 })),
    };
    return { symbols, problems: kind === undefined ? [] : [{ kind, ...detail, ...lines }], ...(facts && { facts }) };
  } catch (error) {
    // A failure here is our bug; the file is still searchable as text, and the report lists it.
    return { symbols: [], problems: [{ kind: "parser_crash", detail: String(error) }] };
  }
}

/** Facts of a file whose language has no references. */
function connectionsAlone(
  source: Omit<ConnectionSource, "language">,
  { id }: Language,
  only: SourceFile["only"],
): Facts | undefined {
  const connections = only === undefined ? readConnections({ ...source, language: id }) : undefined;
  return connections && { ...NO_FACTS, connections };
}

const PROBLEM_OF = {
  clean: undefined,
  partial: "parse_error",
  timeout: "parse_timeout",
  crash: "parser_crash",
} as const;

/**
 * Parses without the parts that confuse the grammar, and again in a simpler form after errors. Both forms keep every
 * offset of `text`.
 */
export async function parse(
  language: Language,
  text: string,
  grammars: Grammars,
  budgetMs: number,
  only?: "definitions",
): Promise<Parsed> {
  const { id, quiet, secondTry: simpler } = language.dialect?.occursIn(text) ? language.dialect.language : language;
  const grammar = language.grammar?.of ?? id;
  await grammars.prepare([grammar]);
  const seen = quiet?.(text) ?? text;
  const best = grammars.parse(grammar, seen, budgetMs, { ...(only && { only }), ...(simpler && { simpler }) });
  return best.edges === undefined || seen === text ? best : { ...best, edges: withHidden(best.edges, text, seen) };
}

const WORD = /[A-Za-z_]\w*/g;
const TAG = /[A-Za-z_][\w-]*/g;

/** Adds the names in the parts that were hidden from the grammar as references: blanks are names, form feeds a tag. */
function withHidden(edges: RawEdges, text: string, seen: string): RawEdges {
  const [roles, starts, ends, matches] = [[...edges.roles], [...edges.starts], [...edges.ends], [...edges.matches]];
  let match = (matches.at(-1) ?? 0) + 1;
  for (let at = differsAt(text, seen, 0); at < text.length; at = differsAt(text, seen, at + 1)) {
    const from = at;
    const isTag = seen[from] === "\f";
    while (at < text.length && (seen[at] === " " || (isTag && seen[at] === "\f")) && text[at] !== "\n") at++;
    for (const { 0: word, index } of text.slice(from, at).matchAll(isTag ? TAG : WORD)) {
      roles.push(isTag && index === 0 ? "tag" : "ref");
      starts.push(from + index);
      ends.push(from + index + word.length);
      matches.push(match++);
    }
  }
  return { roles, starts, ends, matches };
}

/** A separate function: V8 deoptimised it 80 times per million lines as part of that loop. */
function differsAt(text: string, seen: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) === seen.charCodeAt(at)) at++;
  return at;
}

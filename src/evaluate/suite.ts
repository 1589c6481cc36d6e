/** Queries with their expected locations: a benchmark suite, or a two-column file. */
import { CompassError } from "../model/errors.ts";

export interface ExpectedTarget {
  readonly path: string;
  /** Absent: anywhere in the file. */
  readonly lines?: { readonly start: number; readonly end: number };
}

export interface SuiteQuery {
  readonly query: string;
  readonly category: string;
  readonly targets: readonly ExpectedTarget[];
}

/** One repository of a suite. */
export interface SuiteEntry {
  readonly name: string;
  readonly language: string;
  /** The directory below the checkout that the published setting indexes. */
  readonly root: string;
}

/** `suite.json`: a list of repositories. */
export function parseSuite(text: string, file: string): SuiteEntry[] {
  const entries = parseJson(text, file);
  if (!Array.isArray(entries)) throw unreadable(file, "a list of repositories is expected");
  return entries.map((entry: Partial<SuiteEntry>, i) => {
    if (typeof entry?.name !== "string") throw unreadable(file, `entry ${i + 1} has no name`);
    return { name: entry.name, language: entry.language ?? "unknown", root: entry.root ?? "" };
  });
}

interface Annotation {
  readonly query: string;
  readonly category?: string;
  readonly relevant?: readonly AnnotatedTarget[];
  readonly secondary?: readonly AnnotatedTarget[];
}
type AnnotatedTarget = string | { readonly path: string; readonly start_line?: number; readonly end_line?: number };

/** `annotations/NAME.json`: the queries of one repository. */
export function parseAnnotations(text: string, file: string): SuiteQuery[] {
  const annotations = parseJson(text, file);
  if (!Array.isArray(annotations)) throw unreadable(file, "a list of questions is expected");
  return annotations.map((it: Annotation, i) => {
    if (typeof it?.query !== "string") throw unreadable(file, `entry ${i + 1} has no query`);
    const targets = [...(it.relevant ?? []), ...(it.secondary ?? [])].map(parseTarget);
    return { query: it.query, category: it.category ?? inferCategory(it.query), targets };
  });
}

/** The suite's own rule for queries without a category. */
function inferCategory(query: string): string {
  const text = query.trim();
  if (!text.includes(" ")) return "symbol";
  return text.toLowerCase().startsWith("how ") ? "architecture" : "semantic";
}

function parseTarget(target: AnnotatedTarget): ExpectedTarget {
  if (typeof target === "string") return { path: target };
  const { path, start_line: start, end_line: end } = target;
  return start === undefined || end === undefined ? { path } : { path, lines: { start, end } };
}

/**
 * Two tab-separated columns: the query and its location (`path`, `path:12` or `path:12-40`). A query on several lines
 * has several targets. Empty lines and lines that begin with `#` are skipped.
 */
export function parseGoldenFile(text: string, file: string): SuiteQuery[] {
  const tasks = new Map<string, ExpectedTarget[]>();
  for (const [i, line] of text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [query, place, ...more] = line.split("\t").map((part) => part.trim());
    if (!query || !place || more.length > 0) {
      throw unreadable(file, `line ${i + 1} is not "question<tab>path[:line[-line]]"`);
    }
    tasks.set(query, [...(tasks.get(query) ?? []), parseLocation(place)]);
  }
  if (tasks.size === 0) throw unreadable(file, "it holds no question");
  return [...tasks].map(([query, targets]) => ({ query, category: inferCategory(query), targets }));
}

/** `path`, `path:12` or `path:12-40`. */
export function parseLocation(text: string): ExpectedTarget {
  const found = /^(.+):(\d+)(?:-(\d+))?$/.exec(text);
  if (found === null) return { path: text };
  const start = Number(found[2]);
  return { path: found[1]!, lines: { start, end: Number(found[3] ?? start) } };
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(file, "it is not JSON");
  }
}

function unreadable(file: string, reason: string): CompassError {
  return new CompassError("invalid_input", { reason: `${file} cannot be used: ${reason}` });
}

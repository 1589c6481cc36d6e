/** One word that names a place: `path:12:5`, `path#L10-L20`, `path(12,5)`, permalinks, file and editor URLs. */
import { hasCodeExtension } from "../parsed-query.ts";

export interface PastedLocation {
  readonly path: string;
  readonly line?: number;
  readonly lineEnd?: number;
  readonly column?: number;
  /** From a URL of a code host. */
  readonly hosted?: true;
}

/** Longer words are no paths. */
const MAX_WORD = 1000;

export function parseLocation(word: string): PastedLocation | undefined {
  if (word.length > MAX_WORD) return undefined;
  const { path, ...lines } = splitLines(trimMarks(word));
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(path);
  if (scheme !== null) return fromUrl(path, lines);
  const plain = normalisePath(path);
  return isPathLike(plain, lines.line !== undefined) ? { path: plain, ...lines } : undefined;
}

/** `.\src\a.rs` → `src/a.rs`, `C:\work\a.cs` → `/work/a.cs`. */
export function normalisePath(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(/^[A-Za-z]:\//, "/")
    .replace(/^(?:\.{1,2}\/)+/, "")
    .replace(/\/{2,}/g, "/");
}

const OPENING = "([{<\"'`*";
const CLOSING = ")]}>\"'`*,.;:!?";
const PARTNERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{", ">": "<" };

/** Takes off quotes, brackets and full stops around a word, but leaves `page(1).ts` and `[id].tsx` whole. */
function trimMarks(word: string): string {
  let start = 0;
  let end = word.length;
  const isOpening = (mark: string) => OPENING.includes(mark);
  while (start < end && isOpening(word[start]!) && !closesInside(word, start, end)) start++;
  for (; end > start && CLOSING.includes(word[end - 1]!); end--) {
    const partner = PARTNERS[word[end - 1]!];
    if (partner !== undefined && isBalanced(word.slice(start, end), partner, word[end - 1]!)) break;
  }
  return word.slice(start, end);
}

function isBalanced(word: string, opening: string, closing: string): boolean {
  let open = 0;
  for (const mark of word) open += mark === opening ? 1 : mark === closing ? -1 : 0;
  return open >= 0;
}

/** `(auth)/page.tsx` begins with a bracket of its own. */
function closesInside(word: string, start: number, end: number): boolean {
  const closing = Object.keys(PARTNERS).find((mark) => PARTNERS[mark] === word[start]);
  if (closing === undefined) return false;
  const at = word.indexOf(closing, start);
  return at > 0 && at < end - 1 && word[at + 1] === "/";
}

interface Lines {
  readonly line?: number;
  readonly lineEnd?: number;
  readonly column?: number;
}

const SUFFIXES: readonly RegExp[] = [
  /#L(?<line>\d{1,7})(?:C(?<column>\d{1,6}))?(?:-L?(?<lineEnd>\d{1,7})(?:C\d{1,6})?)?$/,
  /#lines-(?<line>\d{1,7})(?::(?<lineEnd>\d{1,7}))?$/,
  /\((?<line>\d{1,7})(?:,(?<column>\d{1,6}))?(?:,\d{1,7},\d{1,6})?\)$/,
  /:(?<line>\d{1,7})(?:-(?<lineEnd>\d{1,7}))?$/,
];
const LINE_AND_COLUMN = /:(?<line>\d{1,7}):(?<column>\d{1,6})$/;

function splitLines(word: string): Lines & { readonly path: string } {
  // The suffix of a long word is short, so only its end is matched.
  const from = Math.max(0, word.length - 40);
  const end = word.slice(from);
  for (const pattern of [LINE_AND_COLUMN, ...SUFFIXES]) {
    const found = pattern.exec(end);
    if (found === null || from + found.index === 0) continue;
    return { path: word.slice(0, from + found.index), ...lineFields(found.groups ?? {}) };
  }
  return { path: word.replace(/#.*$/, "") };
}

export function lineFields(groups: Readonly<Record<string, string | undefined>>): Lines {
  const line = Number(groups.line);
  if (!(line > 0)) return {};
  const lineEnd = Number(groups.lineEnd);
  const column = Number(groups.column);
  return { line, ...(lineEnd > line && { lineEnd }), ...(column > 0 && { column }) };
}

/** A path without a directory needs an extension that we know: `localhost:3000` is no file. */
function isPathLike(path: string, hasLine: boolean): boolean {
  if (path.length > 500 || !/[A-Za-z_\u0080-\uffff]/.test(path)) return false;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (hasCodeExtension(name)) return true;
  return hasLine && path.includes("/") && /^[^\s:=,;|&?]+$/.test(path) && name !== "";
}

function fromUrl(url: string, lines: Lines): PastedLocation | undefined {
  const hosted = fromCodeHost(url);
  if (hosted !== undefined) return { path: normalisePath(decode(hosted)), ...lines, hosted: true };
  const query = url.indexOf("?");
  const parameters = new URLSearchParams(query < 0 ? "" : url.slice(query + 1));
  const named = parameters.get("file") ?? parameters.get("url") ?? parameters.get("path");
  if (named !== null && query >= 0) {
    const line = { ...lines, ...lineFields({ line: parameters.get("line") ?? undefined }) };
    return inUrl(named.replace(/^file:\/\//, ""), line);
  }
  const rest = (query < 0 ? url : url.slice(0, query)).replace(/^[a-z][a-z\d+.-]*:\/\//i, "");
  if (/^(?:vscode|vscode-insiders|cursor|windsurf|zed|vscodium):/i.test(url))
    return inUrl(rest.replace(/^file/, ""), lines);
  if (/^(?:file|webpack|webpack-internal|turbopack|rsc|app|ng|meteor|source):/i.test(url)) return inUrl(rest, lines);
  return lines.line === undefined ? undefined : inUrl(rest.slice(rest.indexOf("/")), lines);
}

/** Bundlers put a module layer or the project's name before the path: `(rsc)/./src/page.tsx`, `[project]/src/page.tsx`. */
function inUrl(given: string, lines: Lines): PastedLocation | undefined {
  const plain = decode(given).replace(/^\/*(?:\((?:rsc|ssr|[\w-]*-browser|action-browser)\)|\[project\])\//, "");
  const dot = plain.lastIndexOf("/./");
  const path = normalisePath(dot < 0 ? plain.replace(/^\/(?=[A-Za-z]:)/, "") : plain.slice(dot + 3));
  return isPathLike(path, lines.line !== undefined) ? { path, ...lines } : undefined;
}

const HOSTED: readonly RegExp[] = [
  /^https?:\/\/raw\.githubusercontent\.com\/[^/]+\/[^/]+\/(?:refs\/(?:heads|tags)\/)?[^/]+\/(?<path>[^?#]+)/i,
  /^https?:\/\/[^/]+\/[^?#]*?\/(?:-\/)?(?:blob|blame|raw|tree)\/(?:refs\/(?:heads|tags)\/)?[^/]+\/(?<path>[^?#]+)/i,
  /^https?:\/\/[^/]*(?:bitbucket|gitea|forgejo|codeberg|git)[^/]*\/[^/]+\/[^/]+\/src\/(?:(?:branch|commit|tag)\/)?[^/]+\/(?<path>[^?#]+)/i,
];

function fromCodeHost(url: string): string | undefined {
  for (const pattern of HOSTED) {
    const path = pattern.exec(url)?.groups?.path;
    if (path !== undefined) return path;
  }
  return undefined;
}

function decode(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

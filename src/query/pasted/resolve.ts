/** Frames of pasted text → files and lines of the view, by the longest suffix of the path that fits and is plausible. */
import type { FileFrame } from "../../model/code.ts";
import { baseName } from "../../model/paths.ts";
import type { FileRow, Snapshot } from "../../ports/snapshot.ts";
import { inScope, type QueryScope } from "../candidate.ts";
import { pathClasses } from "../path-class.ts";
import type { PastedEvidence, PastedFrame, SourceAnchor } from "./frame.ts";
import { libraryPath } from "./library.ts";
import { plainName } from "./plain-name.ts";

export interface ResolvedFrame {
  readonly frame: PastedFrame;
  readonly file: FileRow;
  /** Absent: the text names the file only. */
  readonly lines?: { readonly lineStart: number; readonly lineEnd: number };
  /** Index of the innermost symbol around the line. */
  readonly symbol?: number;
  /** Index of the chunk that holds the line. */
  readonly chunk: number;
  readonly how: string;
}

export interface ResolvedPaste {
  /** In the order of the evidence, each place once. */
  readonly found: readonly ResolvedFrame[];
  /** Frames that belong to no file of the view. */
  readonly outside: number;
}

/** Frames that are compared with texts; a recursion of thousands repeats the same few. */
const MAX_RESOLVED = 100;

export async function resolveFrames(evidence: PastedEvidence, scope: QueryScope, at: Snapshot): Promise<ResolvedPaste> {
  const frames = evidence.frames.slice(0, MAX_RESOLVED);
  const resolver = new Resolver(await filesByName(frames, scope, at), at);
  const found = new Map<string, ResolvedFrame>();
  let outside = evidence.withoutFile;
  for (const frame of frames) {
    const places = await resolver.resolve(frame, { isAlone: frames.length === 1 });
    if (places.length === 0) outside++;
    for (const it of places) {
      const key = `${it.lines?.lineStart ?? 0} ${it.file.path}`;
      if (!found.has(key)) found.set(key, it);
    }
  }
  return { found: withoutBareFiles([...found.values()]), outside };
}

/** A file that another frame places a line in adds nothing. */
function withoutBareFiles(found: readonly ResolvedFrame[]): ResolvedFrame[] {
  const placed = new Set(found.filter(({ lines }) => lines !== undefined).map(({ file }) => file.path));
  return found.filter(({ lines, file }) => lines !== undefined || !placed.has(file.path));
}

type FilesByName = ReadonlyMap<string, readonly FileRow[]>;

async function filesByName(frames: readonly PastedFrame[], scope: QueryScope, at: Snapshot): Promise<FilesByName> {
  const files = new Map<string, FileRow[]>(frames.map(({ path }) => [baseName(path), []]));
  if (files.size === 0) return files;
  for (const file of await at.files()) {
    const same = files.get(baseName(file.path));
    if (same !== undefined && inScope(file, scope)) same.push(file);
  }
  return files;
}

/** How a path of the view fits the pasted one. */
interface PathFit {
  readonly file: FileRow;
  /** Equal parts, counted from the end. */
  readonly parts: number;
  /** All of the pasted path. */
  readonly isFull: boolean;
  /** All of the view's path. */
  readonly isWhole: boolean;
}

/** `located`: the function of the frame is around the line. `confirmed`: the file contains the function or the source. */
const VERDICTS = ["located", "confirmed", "unknown", "contradicted"] as const;
type Verdict = (typeof VERDICTS)[number];

/** Files of one name that are opened to tell them apart. */
const MAX_COMPARED = 24;
const MAX_ALTERNATIVES = 5;

class Resolver {
  private readonly files: FilesByName;
  private readonly at: Snapshot;
  private readonly texts = new Map<string, readonly string[]>();
  /** What precedes paths of the view: `/usr/src/app` once one frame is certain. */
  private readonly roots = new Set<string>();

  constructor(files: FilesByName, at: Snapshot) {
    this.files = files;
    this.at = at;
  }

  async resolve(frame: PastedFrame, { isAlone }: { readonly isAlone: boolean }): Promise<ResolvedFrame[]> {
    const named = this.files.get(baseName(frame.path)) ?? [];
    if (named.length === 0) return [];
    const fits = await this.plausible(frame, named);
    const accepted: { readonly fit: PathFit; readonly verdict: Verdict }[] = [];
    for (const fit of fits) {
      const best = accepted[0];
      if (best !== undefined && best.fit.parts > fit.parts) break;
      const verdict = await this.verify(frame, fit.file);
      if (this.accepts(frame, fit, verdict)) accepted.push({ fit, verdict });
    }
    const top = VERDICTS.find((verdict) => accepted.some((it) => it.verdict === verdict));
    const chosen = accepted.filter(({ verdict }) => verdict === top).slice(0, isAlone ? MAX_ALTERNATIVES : 1);
    const first = chosen[0]?.fit;
    if (first?.isWhole && first.parts > 1) this.roots.add(rootOf(frame.path, first.file.path));
    return Promise.all(chosen.map(({ fit }) => this.place(frame, fit)));
  }

  private async plausible(frame: PastedFrame, named: readonly FileRow[]): Promise<PathFit[]> {
    const library = libraryPath(frame);
    const given = (library?.path ?? frame.path).replace(/^\//, "").split("/");
    const all = named.map((file) => fitPath(file, given));
    if (library === undefined) return all.sort(byFit).slice(0, MAX_COMPARED);
    const own = frame.path.split("/");
    const vendored = named.map((file) => fitPath(file, own)).filter(({ parts }) => parts > given.length);
    if (vendored.length > 0) return vendored.sort(byFit).slice(0, MAX_COMPARED);
    const inside: PathFit[] = [];
    for (const fit of all
      .filter(({ isFull }) => isFull)
      .sort(byFit)
      .slice(0, MAX_COMPARED))
      if (await this.isLibrary(fit.file.path, library.path, library.name)) inside.push(fit);
    return inside;
  }

  /** Whether the files above the library's path are that library. */
  private async isLibrary(path: string, inside: string, name: string | undefined): Promise<boolean> {
    const root = path.slice(0, Math.max(0, path.length - inside.length - 1));
    if (name === undefined) return !(await this.at.file(join(root, "__init__.py")));
    const short = name.split("/").findLast((part) => !/^v\d+$/.test(part))!;
    if (root !== "" && baseName(root) === short) return true;
    if (await this.at.file(join(root, `${short}.gemspec`))) return true;
    // Some gemspecs are written at release; what a gem is required as is a file.
    if (await this.at.file(join(root, `lib/${short.replaceAll("-", "/")}.rb`))) return true;
    for (const manifest of MANIFESTS) {
      const file = await this.at.file(join(root, manifest));
      if (file !== undefined && declares((await this.linesOf(file)).slice(0, MANIFEST_LINES), name)) return true;
    }
    return false;
  }

  private accepts(frame: PastedFrame, { file, parts, isFull, isWhole }: PathFit, verdict: Verdict): boolean {
    if (verdict === "contradicted") return false;
    if (isFull || (isWhole && parts > 1)) return true;
    const isSure = verdict === "located" || verdict === "confirmed";
    // A link or a path that is typed is meant for this repository, also where the file is in its root.
    if (isWhole) return isSure || isTyped(frame) || this.roots.has(rootOf(frame.path, file.path));
    if (frame.package !== undefined) return isSure;
    return parts > 2 || (parts === 2 && isSure);
  }

  private async verify(frame: PastedFrame, file: FileRow): Promise<Verdict> {
    const lines = await this.linesOf(file);
    const anchors = [frame.source, frame.after?.source].filter((source) => source !== undefined);
    if (anchors.some((source) => isTelling(source) && lines.some((line) => line.trim() === source))) return "confirmed";
    if (!isTyped(frame) && frame.line !== undefined && frame.line > lines.length) return "contradicted";
    const name = frame.format === "diff" || frame.symbol === undefined ? undefined : plainName(frame.symbol);
    const declared = frame.package === undefined ? undefined : lines.find((line) => /^\s*package\s/.test(line));
    const isPackage = declared?.replace(/^\s*package\s+|[;\s]+$/g, "") === frame.package;
    if (declared !== undefined && !isPackage) return "contradicted";
    if (name !== undefined && (await this.isAround(frame, file, name))) return "located";
    if (declared !== undefined) return "confirmed";
    if (name !== undefined) return lines.some((line) => line.includes(name)) ? "confirmed" : "contradicted";
    return "unknown";
  }

  /** Whether a symbol of this name is around the line. */
  private async isAround({ line }: PastedFrame, file: FileRow, name: string): Promise<boolean> {
    if (line === undefined) return false;
    const opened = await this.at.frame(file);
    for (let index = enclosingSymbol(opened, line); index !== undefined; index = opened.parent(index))
      if (opened.name(index) === name) return true;
    return false;
  }

  private async linesOf(file: FileRow): Promise<readonly string[]> {
    let lines = this.texts.get(file.path);
    if (lines === undefined) {
      lines = (await this.at.text(file)).split("\n");
      this.texts.set(file.path, lines);
    }
    return lines;
  }

  private async place(frame: PastedFrame, { file, isFull }: PathFit): Promise<ResolvedFrame> {
    const opened = await this.at.frame(file);
    const lines = await this.linesOf(file);
    const named = frame.line === undefined ? definitionNamed(frame, opened) : undefined;
    const found = named ?? placeLine(frame, lines, opened.lineCount);
    const how = `${found?.how ?? "the pasted text names this file"}${isFull ? "" : ", by the end of its path"}`;
    const { lineStart, lineEnd } = found ?? {};
    if (lineStart === undefined || lineEnd === undefined) return { frame, file, chunk: 0, how };
    const symbol = enclosingSymbol(opened, lineStart);
    return {
      frame,
      file,
      lines: { lineStart, lineEnd },
      ...(symbol !== undefined && { symbol }),
      chunk: chunkAround(opened, lineStart),
      how,
    };
  }
}

function isTyped({ format }: PastedFrame): boolean {
  return format === "location" || format === "permalink" || format === "diff";
}

function fitPath(file: FileRow, given: readonly string[]): PathFit {
  const own = file.path.split("/");
  let parts = 0;
  while (parts < own.length && parts < given.length && own.at(-1 - parts) === given.at(-1 - parts)) parts++;
  return { file, parts, isFull: parts === given.length, isWhole: parts === own.length };
}

/** The longest suffix first; among equal ones plain source before tests and other files, then shallow paths. */
function byFit(a: PathFit, b: PathFit): number {
  if (a.parts !== b.parts) return b.parts - a.parts;
  if (a.isWhole !== b.isWhole) return a.isWhole ? -1 : 1;
  const rank = ({ file: { path } }: PathFit) => (pathClasses(path).length > 0 ? 1000 : 0) + path.split("/").length;
  return rank(a) - rank(b) || (a.file.path < b.file.path ? -1 : 1);
}

function rootOf(given: string, path: string): string {
  return given.slice(0, Math.max(0, given.length - path.length));
}

function join(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

const MANIFESTS = ["package.json", "go.mod", "Cargo.toml", "composer.json", "mix.exs"];
const MANIFEST_LINES = 60;

/** `"name": "express"`, `module github.com/acme/cart`, `name = "tokio"`, `app: :phoenix` */
function declares(lines: readonly string[], name: string): boolean {
  return lines.some((line) => {
    const found = /^\s*(?:"name"\s*:\s*"([^"]+)"|module\s+(\S+)|name\s*=\s*"([^"]+)"|(?:app:|@app)\s*:(\w+))/.exec(
      line,
    );
    return found?.slice(1).includes(name) === true;
  });
}

/** `}` and `return` are in every file. */
function isTelling(source: string): boolean {
  return source.length >= 8 && /\w\W+\w/.test(source);
}

interface PlacedLines {
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly how: string;
}

/** The pasted line; where the file has changed since, the nearest line with the quoted source. */
function placeLine(frame: PastedFrame, lines: readonly string[], lineCount: number): PlacedLines | undefined {
  const { line, lineEnd = line, source, after } = frame;
  if (line === undefined || lineEnd === undefined) return undefined;
  const isAt = (anchor: SourceAnchor | undefined) =>
    anchor !== undefined && lines[anchor.line - 1]?.trim() === anchor.source;
  const own = source === undefined ? undefined : { line, source };
  const says = (at: number) => ({
    lineStart: at,
    lineEnd: Math.min(lineCount, at + lineEnd - line),
    how: `the pasted text names line ${at}`,
  });
  if (own === undefined || isAt(own)) return line <= lineCount ? says(line) : undefined;
  if (isAt(after)) return says(after!.line);
  for (const anchor of [own, after]) {
    const moved = anchor === undefined || !isTelling(anchor.source) ? undefined : nearestLine(lines, anchor);
    if (moved !== undefined) return { ...says(moved), how: `the quoted line ${anchor!.line} is now line ${moved}` };
  }
  return line <= lineCount ? says(line) : undefined;
}

function nearestLine(lines: readonly string[], { line, source }: SourceAnchor): number | undefined {
  let nearest: number | undefined;
  for (const [i, text] of lines.entries()) {
    if (text.trim() !== source) continue;
    if (nearest === undefined || Math.abs(i + 1 - line) < Math.abs(nearest - line)) nearest = i + 1;
  }
  return nearest;
}

/** `tests/test_cart.py::TestCart::test_add` has a name and no line. */
function definitionNamed({ symbol }: PastedFrame, opened: FileFrame): PlacedLines | undefined {
  const name = symbol === undefined ? undefined : plainName(symbol);
  if (name === undefined) return undefined;
  for (let index = 0; index < opened.symbolCount; index++)
    if (opened.name(index) === name)
      return { lineStart: opened.line(index), lineEnd: opened.lastLine(index), how: `the pasted text names ${name}` };
  return undefined;
}

/** The innermost symbol around the line: the one that starts last. Symbols are sorted by where they start. */
function enclosingSymbol(opened: FileFrame, line: number): number | undefined {
  let found: number | undefined;
  for (let index = 0; index < opened.symbolCount && opened.line(index) <= line; index++)
    if (opened.lastLine(index) >= line && opened.kind(index) !== "use") found = index;
  return found;
}

function chunkAround(opened: FileFrame, line: number): number {
  for (let index = opened.chunkCount - 1; index > 0; index--) if (opened.chunk(index)!.lineStart <= line) return index;
  return 0;
}

/** What a view shows at one generation, loaded from its rows; a later generation is loaded as the difference. */
import type { SkipReason } from "../model/code.ts";
import type { FileId } from "../model/ids.ts";
import type { Content, EntryQuery, EntryRow, ViewRow } from "../ports/backend.ts";
import type { FileRow, Limits, ViewInfo } from "../ports/snapshot.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { type Hash64, hash64 } from "../segment/symbol-keys.ts";
import { type Totals, viewInfo } from "./totals.ts";

/** A file of a view, with what its row says beyond the port's. */
export interface IndexedFile extends FileRow {
  readonly symbols: number;
  readonly chunks: number;
  readonly problem?: string;
}

/** What a generation of a view shows. */
export interface ViewContent {
  readonly files: ReadonlyMap<string, IndexedFile>;
  readonly skips: ReadonlyMap<string, SkipReason>;
  readonly digest: string;
}

/** A generation that is held, whether or not its rows were read. */
export interface ViewGeneration {
  readonly view: number;
  readonly info: ViewInfo;
}

export interface ViewState extends ViewContent, ViewGeneration {}

export function infoOf(row: ViewRow, contentId: string): ViewInfo {
  const { ref, generation, commit, publishedAt } = row;
  const info = viewInfo(
    { stateId: stateIdOf(row, contentId), ref, generation, commit, publishedAt },
    JSON.parse(row.totals) as Totals,
  );
  return row.isDefault ? { ...info, isDefault: true } : info;
}

/** A backend may give the number of a removed view to the next one; the digest tells what both of them show apart. */
export function stateIdOf({ id, generation, publishedAt, digest }: ViewRow, contentId: string): string {
  return [contentId, id, generation, publishedAt, ...(digest === null ? [] : [digest])].join(".");
}

/** One generation of a view without a base; `known`: an earlier one to start from. */
export async function loadPlain(
  content: Content,
  at: EntryQuery,
  known?: ViewContent & { readonly generation: number },
  limits?: Limits,
): Promise<ViewContent> {
  if (known?.generation === at.generation) return known;
  const draft = new ViewDraft(known);
  const since = known === undefined ? {} : { since: known.generation };
  const rows = await content.rows("entries", { ...at, ...since }, limits);
  for (const row of rows) draft.replace(row, known === undefined ? "required" : "optional");
  return draft.finish();
}

/** A view that is stored as a difference to a generation of another one. */
export async function loadOver(content: Content, at: EntryQuery, base: ViewContent): Promise<ViewContent> {
  const draft = new ViewDraft(base);
  for (const row of await content.rows("entries", at)) draft.replace(row, "optional");
  return draft.finish();
}

/** Whether the view shows what its row says. */
export function addsUp({ files, skips, digest }: ViewContent, row: ViewRow): boolean {
  const { files: count, skipped } = JSON.parse(row.totals) as Totals;
  const skips_ = Object.values(skipped).reduce((sum, some) => sum + some, 0);
  return (row.digest ?? digest) === digest && files.size === count && skips.size === skips_;
}

class ViewDraft {
  readonly #files: Map<string, IndexedFile>;
  readonly #skips: Map<string, SkipReason>;
  readonly #digest: Digest;

  constructor(before?: ViewContent) {
    this.#files = new Map(before?.files);
    this.#skips = new Map(before?.skips);
    this.#digest = new Digest(before?.digest);
  }

  replace(row: EntryRow, shows: "required" | "optional"): void {
    const [path, skip, version] = row;
    if (shows === "optional") this.#close(path);
    if (version !== null) {
      const file = fileOf(row);
      this.#files.set(path, file);
      this.#digest.add(path, file);
    } else if (skip !== null) {
      this.#skips.set(path, skip);
      this.#digest.add(path, skip);
    } else if (shows === "required") throw new CorruptionError("an entry of a view shows nothing");
  }

  finish(): ViewContent {
    return { files: this.#files, skips: this.#skips, digest: this.#digest.toString() };
  }

  #close(path: string): void {
    const shown = this.#files.get(path) ?? this.#skips.get(path);
    if (shown !== undefined) this.#digest.remove(path, shown);
    this.#files.delete(path);
    this.#skips.delete(path);
  }
}

export function fileOf([
  path,
  ,
  version,
  versionPath,
  hash,
  ,
  language,
  symbols,
  chunks,
  problem,
]: EntryRow): IndexedFile {
  if (versionPath !== path) throw new CorruptionError(`file version ${version} is missing or belongs to another path`);
  const file = { id: version as FileId, path, language, contentHash: hash, symbols, chunks };
  return problem === null ? file : { ...file, problem };
}

/** The sum of its entries' hashes: their order does not matter, and one can be taken out again. */
export class Digest {
  #high: number;
  #low: number;

  constructor(text = "0:0") {
    const [high, low] = text.split(":").map(Number);
    this.#high = (high ?? 0) >>> 0;
    this.#low = (low ?? 0) >>> 0;
  }

  add(path: string, shown: IndexedFile | SkipReason): void {
    this.#shift(entryHash(path, shown), 1);
  }

  remove(path: string, shown: IndexedFile | SkipReason): void {
    this.#shift(entryHash(path, shown), -1);
  }

  toString(): string {
    return `${this.#high}:${this.#low}`;
  }

  #shift(by: Hash64, sign: 1 | -1): void {
    this.#high = (this.#high + sign * by.high) >>> 0;
    this.#low = (this.#low + sign * by.low) >>> 0;
  }
}

/** Over everything that an answer takes from the entry, so that loading a view needs no checksum of each row. */
function entryHash(path: string, shown: IndexedFile | SkipReason): Hash64 {
  if (typeof shown === "string") return hash64(`${path}\0${shown}`);
  const { id, language, contentHash, symbols, chunks, problem } = shown;
  return hash64(`${path}\0${id}\0${language}\0${contentHash}\0${symbols}\0${chunks}\0${problem ?? ""}`);
}

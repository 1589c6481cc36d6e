/**
 * What the files of working trees were read as, by the stamp they bore: shared by every view of a tree. Most of a large
 * tree's stamps are in one blob; the rows of the table are those that came later.
 */
import type { SkipReason } from "../../model/code.ts";
import type { ContentHash, ProjectId } from "../../model/ids.ts";
import { atOrBelow } from "../../model/paths.ts";
import type { Stamped } from "../../ports/view.ts";
import { packColumns, unpackColumns } from "./column-blobs.ts";
import type { Connection } from "./connection.ts";
import { versionId } from "./publish.ts";
import { checksum } from "./rows.ts";
import { WORTH_PACKING } from "./view-pack.ts";
import type { ViewState } from "./view-state.ts";

/** A version, or why the path was skipped. */
interface Known {
  readonly stamp: string;
  readonly what: number | SkipReason;
}

type KeyRow = readonly [id: number, path: string, hash: ContentHash, extractor: string];

/** With the version that each stands for; one that was collected since leaves its stamp without a meaning. */
export function knownStamps(db: Connection, tree: ProjectId, paths?: readonly string[]): ReadonlyMap<string, Stamped> {
  const known = stampsIn(db, tree, paths === undefined ? undefined : atOrBelow(paths));
  const stamps = new Map<string, Stamped>();
  for (const [path, { stamp, what }] of known) {
    if (typeof what === "string") stamps.set(path, { path, stamp, skip: what });
  }
  const versions = versionsOf(db, known);
  for (const [id, path, contentHash, extractor] of versions) {
    const it = known.get(path);
    if (it?.what === id) stamps.set(path, { path, stamp: it.stamp, version: { path, contentHash, extractor } });
  }
  return stamps;
}

const KEYS = "SELECT id, path, hash, extractor FROM file_version";
/** More than this are asked for all at once: one by one, thousands took longer than the rest of a small sync. */
const FEW_VERSIONS = 100;

function versionsOf(db: Connection, known: ReadonlyMap<string, Known>): KeyRow[] {
  const ids = [...known.values()].flatMap(({ what }) => (typeof what === "number" ? [what] : []));
  if (ids.length > FEW_VERSIONS) return db.arrays<KeyRow>(KEYS);
  return ids.flatMap((id) => db.arrays<KeyRow>(`${KEYS} WHERE id = ?`, id));
}

/** Inside a write transaction. A version that is not stored is not remembered. */
export function restamp(db: Connection, tree: ProjectId, stamps: readonly Stamped[]): void {
  const rows = db.get<{ count: number }>("SELECT count(*) AS count FROM stamp WHERE tree = ?", tree)!.count;
  if (rows + stamps.length >= WORTH_PACKING) {
    pack(db, tree, new Map([...stampsIn(db, tree), ...stamps.flatMap((it) => known(db, it))]));
    return;
  }
  const sql = "INSERT OR REPLACE INTO stamp (tree, path, stamp, version, skip, checksum) VALUES (?, ?, ?, ?, ?, ?)";
  for (const [path, { stamp, what }] of stamps.flatMap((it) => known(db, it))) {
    const [version, skip] = typeof what === "number" ? [what, null] : [null, what];
    db.run(sql, tree, path, stamp, version, skip, checksum(tree, path, stamp, version, skip));
  }
}

/** The stamps under which the tree's files are what the view shows; empty for files that are not known to be. */
export function stampsOf(db: Connection, tree: ProjectId, { files, skips }: ViewState): ReadonlyMap<string, string> {
  const stamps = new Map<string, string>();
  for (const path of files.keys()) stamps.set(path, "");
  eachStamp(db, tree, (path, { stamp, what }) => {
    const same = typeof what === "number" ? files.get(path)?.id === what : skips.get(path) === what;
    if (same) stamps.set(path, stamp);
  });
  return stamps;
}

/** Stamps whose version is gone, or whose path no view shows. Inside a write transaction. */
export function forgetStamps(db: Connection): void {
  const versions = new Set(db.arrays<[number]>("SELECT id FROM file_version").map(([id]) => id));
  const paths = new Set(db.arrays<[string]>("SELECT path FROM view_entry WHERE closed IS NULL").map(([path]) => path));
  const trees = "SELECT tree FROM stamp UNION SELECT tree FROM stamp_pack";
  for (const [tree] of db.arrays<[ProjectId]>(trees)) {
    const all = [...stampsIn(db, tree)];
    const used = all.filter(([path, { what }]) => (typeof what === "number" ? versions.has(what) : paths.has(path)));
    if (used.length < all.length) pack(db, tree, new Map(used));
  }
}

function known(db: Connection, stamped: Stamped): [string, Known][] {
  const { path, stamp } = stamped;
  const what = "skip" in stamped ? stamped.skip : versionId(db, stamped.version);
  return what === undefined ? [] : [[path, { stamp, what }]];
}

type StampRow = readonly [path: string, stamp: string, version: number | null, skip: SkipReason | null, sum: number];

/** All, or those at the paths that are chosen. */
function stampsIn(db: Connection, tree: ProjectId, isChosen: (path: string) => boolean = () => true) {
  const stamps = new Map<string, Known>();
  eachStamp(db, tree, (path, known) => {
    if (isChosen(path)) stamps.set(path, known);
  });
  return stamps;
}

/** A damaged row is no knowledge, nor is a damaged pack: their files are read again. */
function eachStamp(db: Connection, tree: ProjectId, see: (path: string, known: Known) => void): void {
  const later = rowsIn(db, tree);
  const { paths, known } = packed(db, tree);
  for (let at = 0; at < paths.length; at++) if (!later.has(paths[at]!)) see(paths[at]!, known[at]!);
  for (const [path, one] of later) if (one !== undefined) see(path, one);
}

function rowsIn(db: Connection, tree: ProjectId): Map<string, Known | undefined> {
  const rows = db.arrays<StampRow>("SELECT path, stamp, version, skip, checksum FROM stamp WHERE tree = ?", tree);
  return new Map(
    rows.map(([path, stamp, version, skip, sum]) => {
      const what = skip ?? version;
      const isWhole = what !== null && checksum(tree, path, stamp, version, skip) === sum;
      return [path, isWhole ? { stamp, what } : undefined];
    }),
  );
}

/** In place of the tree's rows. Skips have no version; their reasons are few and stand apart. */
function pack(db: Connection, tree: ProjectId, stamps: ReadonlyMap<string, Known>): void {
  const all = [...stamps];
  const skips = all.flatMap(([, { what }], at) => (typeof what === "string" ? [[at, what] as const] : []));
  const bytes = packColumns({
    meta: { tree, skips },
    texts: [all.map(([path]) => path), all.map(([, { stamp }]) => stamp)],
    words: [Uint32Array.from(all, ([, { what }]) => (typeof what === "number" ? what : 0))],
  });
  db.run("INSERT OR REPLACE INTO stamp_pack (tree, bytes) VALUES (?, ?)", tree, bytes);
  db.run("DELETE FROM stamp WHERE tree = ?", tree);
}

interface Pack {
  readonly paths: readonly string[];
  readonly known: readonly Known[];
}

const NO_PACK: Pack = { paths: [], known: [] };

/** The pack that was read last: a checkout asks for it again and again, and 7,000 stamps took 10 ms each time. */
let last: { readonly tree: ProjectId; readonly bytes: Uint8Array; readonly pack: Pack } | undefined;

function packed(db: Connection, tree: ProjectId): Pack {
  const row = db.get<{ bytes: Uint8Array }>("SELECT bytes FROM stamp_pack WHERE tree = ?", tree);
  if (row === undefined) return NO_PACK;
  const { bytes } = row;
  if (last?.tree !== tree || !isSame(last.bytes, bytes)) last = { tree, bytes, pack: unpacked(bytes, tree) };
  return last.pack;
}

/** What is damaged may be no bytes at all. */
function isSame(one: Uint8Array, other: unknown): boolean {
  return one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0;
}

function unpacked(bytes: Uint8Array, tree: ProjectId): Pack {
  try {
    const { meta, texts, words } = unpackColumns(bytes);
    const { tree: of, skips } = meta as { tree: ProjectId; skips: [number, SkipReason][] };
    if (of !== tree) return NO_PACK;
    const skipAt = new Map(skips);
    const [paths, marks] = texts as [string[], string[]];
    const [versions] = words as [Uint32Array];
    return { paths, known: marks.map((stamp, at) => ({ stamp, what: skipAt.get(at) ?? versions[at]! })) };
  } catch {
    return NO_PACK;
  }
}

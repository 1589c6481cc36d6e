/** Exports the state of an index as the members of an archive. */
import { PARSE_GAVE_UP } from "../model/code.ts";
import type { NewArchive } from "../ports/archive.ts";
import type { ViewChange, ViewEntry } from "../ports/snapshot.ts";
import type { StoreDump, ViewDump } from "../ports/store.ts";
import type { StoredFile } from "../ports/versions.ts";
import { recordContent, TAG, unseal } from "../segment/stored-content.ts";
import { EXTRACTOR } from "./extractor.ts";
import {
  entryLine,
  FORMAT_VERSION,
  type FrameHead,
  type Manifest,
  MEMBERS,
  type ViewLine,
  versionText,
} from "./state-format.ts";

export interface DumpedProject {
  readonly projectId: string;
  readonly productVersion: string;
  readonly schemaVersion: number;
  /** The name of a view in the archive; undefined for views that are local to this machine. */
  nameOf(view: string): string | undefined;
  /** Candidates for the view that others are stored as differences to, best first. */
  readonly bases: readonly string[];
}

const encoder = new TextEncoder();

export function stateArchive(dump: StoreDump, project: DumpedProject): NewArchive {
  const views = baseFirst(named(dump.views, project), project.bases);
  const manifest = (members: Manifest["members"]): Manifest => ({
    format: "codecompass-state",
    format_version: FORMAT_VERSION,
    product_version: project.productVersion,
    schema_version: project.schemaVersion,
    extractor: EXTRACTOR,
    project_id: project.projectId,
    base_ref: views[0]!.info.ref,
    refs: views.map(({ info }) => ({ ref: info.ref, commit: info.commit ?? null, files: info.fileCount })),
    members,
  });
  return {
    manifest: {
      name: MEMBERS.manifest,
      content: (sums) => encoder.encode(`${JSON.stringify(manifest(sums), null, 1)}\n`),
    },
    members: [
      { name: MEMBERS.views, content: () => viewLines(views) },
      { name: MEMBERS.files, content: () => frames(dump, versionsIn(views)) },
    ],
  };
}

/** Sorted by their names in the archive. */
function named(views: readonly ViewDump[], { nameOf }: DumpedProject): ViewDump[] {
  const kept = views.flatMap(({ info, entries }) => {
    const ref = nameOf(info.ref);
    return ref === undefined ? [] : [{ info: { ...info, ref }, entries }];
  });
  return kept.sort((a, b) => (a.info.ref < b.info.ref ? -1 : 1));
}

function baseFirst(views: readonly ViewDump[], bases: readonly string[]): readonly ViewDump[] {
  const base = bases.map((name) => views.find(({ info }) => info.ref === name)).find((view) => view !== undefined);
  if (base === undefined) return views;
  return [base, ...views.filter((view) => view !== base)];
}

async function* viewLines(views: readonly ViewDump[]): AsyncIterable<Uint8Array> {
  const base = new Map(views[0]!.entries.map((entry) => [entry.path, entry]));
  for (const [at, view] of views.entries()) {
    yield line(viewLine(view));
    for (const change of at === 0 ? view.entries.map(toChange) : changesTo(base, view)) yield line(entryLine(change));
  }
}

function viewLine({ info, entries }: ViewDump): ViewLine {
  // Files whose parser failed are counted by their versions.
  const { [PARSE_GAVE_UP]: _, ...reasons } = info.coverage.skippedReasons;
  const uncounted: Record<string, number> = reasons;
  for (const { skip } of entries) if (skip !== undefined) uncounted[skip] = (uncounted[skip] ?? 0) - 1;
  const left = Object.entries(uncounted)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    view: info.ref,
    ...(info.commit !== undefined && { commit: info.commit }),
    ...(left.length > 0 && { uncounted: Object.fromEntries(left) }),
  };
}

function changesTo(base: ReadonlyMap<string, ViewEntry>, { entries }: ViewDump): ViewChange[] {
  const paths = new Set(entries.map(({ path }) => path));
  const changed = entries.filter((entry) => !isSame(entry, base.get(entry.path))).map(toChange);
  const removed = [...base.keys()].filter((path) => !paths.has(path)).map((path) => ({ path, removed: true as const }));
  return [...changed, ...removed].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isSame(a: ViewEntry, b: ViewEntry | undefined): boolean {
  if (b === undefined || a.skip !== b.skip) return false;
  return a.version?.contentHash === b.version?.contentHash && a.version?.extractor === b.version?.extractor;
}

function toChange(entry: ViewEntry): ViewChange {
  const { path } = entry;
  return entry.skip === undefined ? { path, version: entry.version } : { path, skip: entry.skip };
}

function line(value: object): Uint8Array {
  return encoder.encode(`${JSON.stringify(value)}\n`);
}

function versionsIn(views: readonly ViewDump[]): ReadonlySet<string> {
  return new Set(
    views.flatMap(({ entries }) => entries.flatMap(({ version }) => (version ? [versionText(version)] : []))),
  );
}

async function* frames(dump: StoreDump, shown: ReadonlySet<string>): AsyncIterable<Uint8Array> {
  for await (const file of dump.files()) if (shown.has(versionText(file))) yield* encodeFrame(file);
}

/** Stores contents uncompressed: the archive compresses adjacent files together. */
function encodeFrame(file: StoredFile): Uint8Array[] {
  const record = recordContent(file.record);
  const text = unseal(TAG.text, file.text);
  const facts = file.facts.length === 0 ? new Uint8Array(0) : unseal(TAG.facts, file.facts);
  const head: FrameHead = {
    path: file.path,
    hash: file.contentHash,
    extractor: file.extractor,
    language: file.language,
    bytes: file.byteCount,
    ...(file.problem !== undefined && { problem: file.problem }),
    ...(file.blob !== undefined && { blob: file.blob }),
    sizes: [record.length, text.length, facts.length],
  };
  const bytes = encoder.encode(JSON.stringify(head));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length, true);
  return [length, bytes, record, text, facts];
}

/** The changed files of a comparison with their contents, renames found, what need not be read left out. */
import { classifyPath } from "../../ingest/classify.ts";
import type { SkipReason } from "../../model/code.ts";
import { fileRenames } from "../../navigate/file-renames.ts";
import type { Files } from "../../ports/files.ts";
import type { IndexSettings } from "../../ports/indexer.ts";
import type { BlobContent, ChangedPath, History } from "../../ports/vcs.ts";

export interface ContentPorts {
  readonly history: History;
  readonly files: Files;
  readonly settings: IndexSettings;
}

/** Bytes, or why they are not compared. */
export type SideContent = Uint8Array | SkipReason | "not_looked_at";

export interface ChangedContent {
  readonly path: string;
  readonly renamedFrom?: string;
  readonly before?: SideContent;
  readonly after?: SideContent;
}

export interface ContentSource {
  readonly root: string;
  readonly ports: ContentPorts;
}

/** Larger comparisons are cut: parsing more files would take too long for one answer. */
const MOST_FILES = 1_000;
/** Renames among more files than this are not searched. */
const MOST_RENAMES = 2_000;

export async function changedContents(
  changed: readonly ChangedPath[],
  pathFilter: string | undefined,
  where: ContentSource,
): Promise<{ readonly contents: readonly ChangedContent[]; readonly warnings: readonly string[] }> {
  const oneSided = changed.filter(({ before, after }) => before === undefined || after === undefined);
  const moved = await read(oneSided.length <= MOST_RENAMES ? oneSided : [], where);
  const renames = renamesAmong(moved);
  const all = joinRenames(changed, renames).filter((file) => isWithin(file, pathFilter));
  const looked = all.slice(0, MOST_FILES);
  const known = new Map(moved.map((file) => [file.path, file]));
  const rest = await read(looked.filter(({ path }) => !known.has(path)).map(withoutRename), where);
  for (const file of rest) known.set(file.path, file);
  const contents = looked.flatMap((file) => withContent(file, known));
  const unread = all.slice(MOST_FILES).map((file): ChangedContent => ({ ...unreadSides(file), ...fileNames(file) }));
  return { contents: [...contents, ...unread], warnings: unreadWarnings(unread.length) };
}

interface RenamedChange extends ChangedPath {
  readonly renamedFrom?: string;
  readonly old?: ChangedPath;
}

/** A deleted and an added path that are one file become one change. */
function joinRenames(changed: readonly ChangedPath[], renames: ReadonlyMap<string, string>): RenamedChange[] {
  const gone = new Set(renames.values());
  const byPath = new Map(changed.map((change) => [change.path, change]));
  return changed
    .filter(({ path }) => !gone.has(path))
    .map((change) => {
      const from = renames.get(change.path);
      return from === undefined ? change : { ...change, renamedFrom: from, old: byPath.get(from)! };
    });
}

function withoutRename({ path, before, after }: RenamedChange): ChangedPath {
  return { path, ...(before && { before }), ...(after && { after }) };
}

function fileNames({ path, renamedFrom }: RenamedChange) {
  return renamedFrom === undefined ? { path } : { path, renamedFrom };
}

function unreadSides({ before, after, old }: RenamedChange): { before?: SideContent; after?: SideContent } {
  const unread = "not_looked_at" as const;
  return { ...((before ?? old?.before) && { before: unread }), ...(after && { after: unread }) };
}

function withContent(file: RenamedChange, known: ReadonlyMap<string, ChangedContent>): ChangedContent[] {
  const content = known.get(file.path);
  if (content === undefined) return [];
  const before = content.before ?? (file.renamedFrom === undefined ? undefined : known.get(file.renamedFrom)?.before);
  const { after } = content;
  if (before === undefined && after === undefined) return [];
  // Git names a path whose file was touched; its content tells whether it changed.
  if (file.after === "disk" && isSame(before, after)) return [];
  return [{ ...fileNames(file), ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

function isSame(before: SideContent | undefined, after: SideContent | undefined): boolean {
  if (!(before instanceof Uint8Array) || !(after instanceof Uint8Array)) return false;
  return equal(before, after) || equal(before, withoutReturns(after));
}

/** A checkout may have turned the line breaks. */
function withoutReturns(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte, at) => byte !== 13 || bytes[at + 1] !== 10);
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

async function read(changes: readonly ChangedPath[], { root, ports }: ContentSource): Promise<ChangedContent[]> {
  const { history, files, settings } = ports;
  const ids = changes.flatMap(({ path, before, after }) =>
    classifyPath(path, settings) === undefined ? [before, after].flatMap(blobIds) : [],
  );
  const blobs = await history.blobs(root, ids, settings.maxFileBytes);
  const contents: ChangedContent[] = [];
  for (const { path, before, after } of changes) {
    const skip = classifyPath(path, settings);
    const onDisk = after === "disk" && skip === undefined;
    const disk = onDisk ? await files.read(root, path, settings.maxFileBytes) : undefined;
    const gone = disk !== undefined && !disk.ok && disk.reason === "gone";
    contents.push({
      path,
      ...(before && { before: skip ?? readBlob(before, blobs) }),
      ...(after &&
        !gone && {
          after: skip ?? (disk === undefined ? readBlob(after, blobs) : disk.ok ? disk.bytes : (disk.reason as never)),
        }),
    });
  }
  return contents;
}

function blobIds(side: ChangedPath["after"]): string[] {
  return side !== undefined && side !== "disk" && side.regular ? [side.id] : [];
}

function readBlob(side: NonNullable<ChangedPath["after"]>, blobs: ReadonlyMap<string, BlobContent>): SideContent {
  if (side === "disk" || !side.regular) return "not_regular";
  const blob = blobs.get(side.id) ?? "missing";
  return blob === "missing" ? "unreadable" : blob;
}

function renamesAmong(contents: readonly ChangedContent[]): Map<string, string> {
  const decoder = new TextDecoder();
  const file = (path: string, bytes: Uint8Array) => {
    const text = decoder.decode(bytes);
    return { path, id: text, text };
  };
  const deleted = contents.flatMap(({ path, before, after }) =>
    after === undefined && before instanceof Uint8Array && before.length > 0 ? [file(path, before)] : [],
  );
  const added = contents.flatMap(({ path, before, after }) =>
    before === undefined && after instanceof Uint8Array && after.length > 0 ? [file(path, after)] : [],
  );
  return fileRenames(deleted, added);
}

/** The filter is a file, or a directory with or without its last slash. */
function isWithin({ path, renamedFrom }: RenamedChange, place = ""): boolean {
  if (place === "") return true;
  const below = (one: string) => one === place || one.startsWith(`${place}/`);
  return below(path) || (renamedFrom !== undefined && below(renamedFrom));
}

function unreadWarnings(unread: number): string[] {
  if (unread === 0) return [];
  return [`Changed files that were not looked at: ${unread}. Narrow the comparison with path_filter.`];
}

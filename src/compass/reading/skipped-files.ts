/**
 * Text files that the indexer skips because no ranking should meet them: large, minified or generated ones. A pattern
 * search reads them too, so that it counts what ripgrep counts: in the work tree, or for any other ref in git's objects.
 * Secret files are never read, and tokens in others are masked.
 */
import type { SkippedFile, SkippedFileList, SkippedFiles } from "../../grep/grep.ts";
import type { SecretSettings } from "../../ingest/classify.ts";
import { detectLanguage } from "../../languages/index.ts";
import { CompassError } from "../../model/errors.ts";
import {
  type NotSearchedCause,
  SEARCHED_SKIPS,
  type SearchedSkip,
  SKIPPED_FILES_LIMIT,
  sumNotSearched,
} from "../../model/grep.ts";
import type { Files } from "../../ports/files.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { CommitTree, GitObjects } from "../../ports/vcs.ts";

/** Where the files of a view are read from. */
export interface FileSource {
  /** Size and key of each path. A path without an entry no longer exists; `undefined`: its content is not here. */
  stat(paths: readonly string[]): Promise<ReadonlyMap<string, FileStat | undefined>>;
  read(file: SkippedFile): Promise<Uint8Array | undefined>;
}

type FileStat = Pick<SkippedFile, "size" | "key">;

const { bytes: MAX_BYTES, files: MAX_FILES } = SKIPPED_FILES_LIMIT;

/** `source` is undefined when the files of the view are not on this machine. */
export function skippedFiles(
  snapshot: Snapshot,
  source: FileSource | undefined,
  { includeSecrets }: SecretSettings,
): SkippedFiles {
  return {
    masksSecrets: !includeSecrets,
    list: async (inScope) => {
      const skips = (await searchedSkips(snapshot)).filter(({ path, language }) => inScope(path, language));
      return source === undefined ? allUnsearched(skips) : chosen(skips, source);
    },
    read: async (file) => source?.read(file),
  };
}

interface Skip {
  readonly path: string;
  readonly language: string;
  readonly kind: SearchedSkip;
}

async function searchedSkips(snapshot: Snapshot): Promise<Skip[]> {
  const lists = await Promise.all(SEARCHED_SKIPS.map((kind) => snapshot.skips([kind])));
  const skips = lists.flatMap((paths, at) =>
    paths.map((path) => ({ path, language: detectLanguage(path).id, kind: SEARCHED_SKIPS[at]! })),
  );
  return skips.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function allUnsearched(skips: readonly Skip[]): SkippedFileList {
  return { files: [], notSearched: sumNotSearched(skips.map(({ kind }) => missed(kind, "no_checkout"))) };
}

/** In the order of paths, as many as one search may read: the same ones whatever the source. */
async function chosen(skips: readonly Skip[], source: FileSource): Promise<SkippedFileList> {
  const files: SkippedFile[] = [];
  const notSearched: ReturnType<typeof missed>[] = [];
  let bytesLeft = MAX_BYTES;
  for (let from = 0; from < skips.length; from += MAX_FILES) {
    const batch = skips.slice(from, from + MAX_FILES);
    const isFull = files.length >= MAX_FILES;
    const stats = isFull ? undefined : await source.stat(batch.map(({ path }) => path));
    for (const { path, language, kind } of batch) {
      if (stats !== undefined && !stats.has(path)) continue;
      const stat = stats?.get(path);
      if (stats !== undefined && stat === undefined) notSearched.push(missed(kind, "unreadable"));
      else if (stat === undefined || files.length >= MAX_FILES || stat.size > bytesLeft)
        notSearched.push(missed(kind, "limit"));
      else {
        files.push({ path, language, kind, ...stat });
        bytesLeft -= stat.size;
      }
    }
  }
  return { files, notSearched: sumNotSearched(notSearched) };
}

function missed(kind: SearchedSkip, cause: NotSearchedCause) {
  return { kind, cause, files: 1 };
}

export function workTreeFiles(root: string, files: Files): FileSource {
  return {
    stat: async (paths) => {
      const stats = new Map<string, FileStat>();
      for (const path of paths) {
        const stamp = await files.stamp(root, path);
        if (stamp !== undefined) stats.set(path, { size: Number(stamp.split(":")[0]), key: `${path}\0${stamp}` });
      }
      return stats;
    },
    read: async ({ path }) => {
      const result = await files.read(root, path, MAX_BYTES);
      if (result.ok) return result.bytes;
      return result.reason === "gone" ? new Uint8Array(0) : undefined;
    },
  };
}

/** Commits never change, so where their files are is remembered for the next search. */
const MAX_COMMITS = 8;

/** Files as commits have them. Nothing is fetched: a blob that is not in the repository is reported as unreadable. */
export function commitFiles(objects: GitObjects): (place: CommitTree) => FileSource {
  const commits = new Map<string, Map<string, FileStat>>();
  const knownStats = (key: string): Map<string, FileStat> => {
    const known = commits.get(key) ?? new Map<string, FileStat>();
    commits.delete(key);
    commits.set(key, known);
    for (const oldest of commits.keys()) if (commits.size > MAX_COMMITS) commits.delete(oldest);
    return known;
  };
  return (place) => ({
    stat: async (paths) => {
      const known = knownStats(`${place.root}\0${place.commit}`);
      const found = await blobStats(
        place,
        objects,
        paths.filter((path) => !known.has(path)),
      );
      for (const [path, stat] of found) known.set(path, stat);
      return new Map(paths.map((path) => [path, known.get(path)]));
    },
    read: async ({ key }) => {
      const result = await objects.read(place.root, key, MAX_BYTES);
      objects.releaseIdle(place.root);
      return result.ok ? result.bytes : undefined;
    },
  });
}

/** The ignore rules let these paths through when the commit was indexed; they are not applied again. */
const EVERYTHING = { hidden: true, ignoreFiles: "none" } as const;

async function blobStats(
  place: CommitTree,
  objects: GitObjects,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileStat>> {
  const stats = new Map<string, FileStat>();
  if (paths.length === 0) return stats;
  try {
    const items = await objects.walk(place, { ...EVERYTHING, only: paths });
    const files = items.flatMap((item) => ("file" in item ? [item.file] : []));
    const sizes = await objects.sizes(
      place,
      files.map(({ stamp }) => stamp),
    );
    for (const { path, stamp: key } of files) if (sizes.has(key)) stats.set(path, { key, size: sizes.get(key)! });
  } catch (error) {
    // The commit itself is gone, as after a force-push and `git gc`, or its trees were never fetched.
    if (!(error instanceof CompassError)) throw error;
  } finally {
    objects.releaseIdle(place.root);
  }
  return stats;
}

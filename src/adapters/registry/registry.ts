/** Known trees as one small file each, so that two processes never overwrite each other's rows. */
import { statSync } from "node:fs";
import { readdir, realpath, rm, rmdir, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, parse } from "node:path";
import { crc32 } from "node:zlib";
import { readBoundedText, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import { withSlashes } from "../../io/file-names.ts";
import { makeDirectories } from "../../io/make-directories.ts";
import { replaceFile } from "../../io/replace-file.ts";
import { CompassError } from "../../model/errors.ts";
import { type Hash, type ProjectId, projectId } from "../../model/ids.ts";
import { isInside } from "../../model/paths.ts";
import type { DamagedRegistration, Registry, WorkspaceRow } from "../../ports/registry.ts";

export interface RegistryOptions {
  /** The data directory. */
  readonly home: string;
  readonly hash: Hash;
  readonly now: () => number;
}

/** Using a tree is written down at most this often. */
const TOUCH_MS = 60_000;

export function diskRegistry({ home, hash, now }: RegistryOptions): Registry {
  const folder = join(home, "workspaces");
  const fileOf = (root: string) => join(folder, `${projectId(root, hash)}.json`);
  const find = async (root: string) => {
    const row = readRow(fileOf(root), { home, hash });
    if (row === undefined || !("reason" in row)) return row;
    throw new CompassError("workspace_not_registered", { workspace: root, cause: "damaged", file: fileOf(root) });
  };
  const readRows = async () => {
    const names = (await readdir(folder).catch(() => [])).filter(isRow).sort();
    return names.flatMap((name) => readRow(join(folder, name), { home, hash }) ?? []);
  };
  return {
    find,
    list: async () => {
      const rows = (await readRows()).filter((row): row is WorkspaceRow => !("reason" in row));
      return rows.sort((a, b) => (a.root < b.root ? -1 : 1));
    },
    damaged: async () => (await readRows()).filter((row): row is DamagedRegistration => "reason" in row),
    add: async (root, storeKey, how = { autoDiscovered: false }) => {
      const row = {
        id: projectId(root, hash),
        root,
        store: hash(storeKey).slice(0, 16),
        registered_at: now(),
        ...(how.autoDiscovered && { auto_discovered: true }),
      };
      await writeRow(fileOf(root), row);
      return rowOf(row, home, now())!;
    },
    remove: async (root) => {
      const known = readRow(fileOf(root), { home, hash }) !== undefined;
      await rm(fileOf(root), { force: true });
      return known;
    },
    touch: async ({ root, lastUsedAt }) => {
      const time = now() / 1000;
      // The file's own time: nothing of a row is ever rewritten by its readers.
      if (Math.abs(now() - lastUsedAt) >= TOUCH_MS) await utimes(fileOf(root), time, time).catch(() => {});
    },
    holds: async (storeLocation) => {
      const places = Promise.all([storeLocation, join(home, "stores")].map((at) => realpath(at)));
      return places.then(
        ([place, stores]) => isInside(withSlashes(place!), withSlashes(stores!)),
        () => false,
      );
    },
    refusal: (root) => refusal(root, home),
  };
}

function refusal(root: string, home: string): string | undefined {
  if (parse(root).root === root) return "it is the root of a drive";
  if (isHome(root, withSlashes(homedir()))) return "it is a home directory";
  if (isInside(root, withSlashes(home))) return "it belongs to the data directory";
  return undefined;
}

/** The user's own, another one's, or the directory of all, as Linux, macOS and Windows have them. */
function isHome(root: string, home: string): boolean {
  return root === home || /^(?:[A-Za-z]:)?\/(?:home|users)(?:\/[^/]+)?$/i.test(root);
}

function isRow(name: string): boolean {
  return /^[0-9a-f]{16}\.json$/.test(name);
}

/** Undefined where there is no such file. */
function readRow(
  file: string,
  { home, hash }: Pick<RegistryOptions, "home" | "hash">,
): WorkspaceRow | DamagedRegistration | undefined {
  // Synchronously: it is read before every answer, and the first one would wait for the thread pool to start.
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const { checksum, ...row } = JSON.parse(readBoundedText(file, SMALL_FILE_BYTES) ?? "") as Record<string, unknown>;
    const id = basename(file, ".json");
    const isOwnRoot = typeof row.root === "string" && projectId(row.root, hash) === id;
    const root = isOwnRoot ? { root: String(row.root) } : {};
    // Rows of earlier releases have no checksum; their name and their id tell which tree they are about.
    if (checksum !== undefined && checksum !== checksumOf(row)) return { file, ...root, reason: "wrong checksum" };
    const read = rowOf(row, home, stat.mtimeMs);
    if (read?.id === id && isOwnRoot) return read;
    return { file, ...root, reason: "a field is missing, or does not belong to this file" };
  } catch (error) {
    return { file, reason: error instanceof SyntaxError ? "not JSON" : "unreadable" };
  }
}

function checksumOf(row: object): string {
  return crc32(JSON.stringify(row)).toString(16);
}

function rowOf(row: Readonly<Record<string, unknown>>, home: string, lastUsedAt: number): WorkspaceRow | undefined {
  const { id, root, store, registered_at: registeredAt, auto_discovered: autoDiscovered } = row;
  if (typeof id !== "string" || typeof root !== "string" || typeof store !== "string") return undefined;
  if (!/^[0-9a-f]{16}$/.test(store)) return undefined;
  return {
    id: id as ProjectId,
    root,
    storeLocation: join(home, "stores", store),
    registeredAt: Number(registeredAt) || 0,
    autoDiscovered: autoDiscovered === true,
    lastUsedAt,
  };
}

let drafts = 0;

async function writeRow(file: string, row: object): Promise<void> {
  const home = dirname(dirname(file));
  const made = makeDirectories(dirname(file), 0o700);
  // Inside a workspace, the index would index itself and git would list it. A directory of the user's own stays as it is.
  if (made !== undefined && isInside(withSlashes(home), withSlashes(made)))
    await writeFile(join(home, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 }).catch(() => {});
  const draft = `${file}.${process.pid}-${++drafts}.tmp`;
  await writeFile(draft, `${JSON.stringify({ ...row, checksum: checksumOf(row) })}\n`, { mode: 0o600 });
  // An empty directory that took the name would make every command fail; one that holds something is not touched.
  await rmdir(file).catch(() => {});
  replaceFile(draft, file);
}

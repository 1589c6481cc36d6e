/**
 * Work trees of commits under the data directory. Git can read them (`git log` works), but the repository does not list
 * them, because their git directories lie next to them and not in the repository.
 *
 *     worktrees/<repository>/feat-a-0123456789ab           the files
 *     worktrees/<repository>/feat-a-0123456789ab.git/      HEAD, index, pointer to the objects
 *     worktrees/<repository>/feat-a-0123456789ab.by-<pid>  lease of a process
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readBoundedText, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import { makeDirectories } from "../../io/make-directories.ts";
import type { Hash } from "../../model/ids.ts";
import type { Env, ProcessIdentity } from "../../ports/env.ts";
import type { CommitTree, Worktrees } from "../../ports/vcs.ts";
import { CatFile } from "./cat-file.ts";
import { git, withoutNamedPrograms } from "./command.ts";
import { locateRepository } from "./repository-files.ts";
import { isSafeTreeName } from "./tree-names.ts";
import { MissingTree, missingTree, type TreeEntry, Trees } from "./trees.ts";

interface WorktreesOptions {
  /** The data directory. */
  readonly home: string;
  readonly env: Env;
  readonly hash: Hash;
}

export function gitWorktrees(options: WorktreesOptions): Worktrees {
  return new LeasedWorktrees(options);
}

class LeasedWorktrees implements Worktrees {
  readonly #base: string;
  readonly #options: WorktreesOptions;
  readonly #held = new Map<string, Promise<string>>();

  constructor(options: WorktreesOptions) {
    this.#base = join(options.home, "worktrees");
    this.#options = options;
  }

  ensure(at: CommitTree, ref: string): Promise<string> {
    const path = this.#pathOf(at, ref);
    const made = this.#held.get(path) ?? this.#made(at, path);
    this.#held.set(path, made);
    made.catch(() => this.#held.delete(path));
    return made;
  }

  async sweep(): Promise<void> {
    for (const repository of await namesIn(this.#base)) {
      const folder = join(this.#base, repository);
      const names = await namesIn(folder);
      for (const name of new Set(names.map(worktreeName))) {
        const leases = names.filter((one) => one.startsWith(`${name}.by-`));
        if (!(await this.#anyAlive(folder, leases)))
          await remove(
            join(folder, name),
            leases.map((one) => join(folder, one)),
          );
      }
    }
  }

  async close(): Promise<void> {
    const paths = [...this.#held.keys()];
    this.#held.clear();
    await Promise.all(paths.map((path) => rm(this.#leaseOf(path), { force: true })));
    await this.sweep();
  }

  async #made(at: CommitTree, path: string): Promise<string> {
    await this.sweep();
    makeDirectories(join(path, ".."), 0o700);
    // The lease comes first: a work tree without one is removed by the next sweep.
    await writeFile(this.#leaseOf(path), JSON.stringify(this.#options.env.self), { mode: 0o600 });
    if (!existsSync(path)) await this.#build(at, path);
    return path;
  }

  /** Creates the work tree under a temporary name and renames it when it is complete. */
  async #build(at: CommitTree, path: string): Promise<void> {
    const draft = `${path}.new-${this.#options.env.self.pid}`;
    await rm(draft, { recursive: true, force: true });
    await checkout(at.root, at.commit, draft);
    await writeGitDirectory(at, path);
    await writeFile(join(draft, ".git"), `gitdir: ${path}.git\n`);
    // Another process may have created the same work tree meanwhile.
    await rename(draft, path).catch(() => rm(draft, { recursive: true, force: true }));
    // Fills the index only. If hooks cannot be listed, it stays empty and `git status` shows every file as new.
    const options = await withoutNamedPrograms(path);
    if (options !== undefined) await git(path, [...options, "read-tree", "--end-of-options", at.commit]);
  }

  #pathOf({ root, commit }: CommitTree, ref: string): string {
    const repository = this.#options.hash(locateRepository(root)?.commonDir ?? root).slice(0, 16);
    const word = ref
      .replace(/[^\p{L}\p{N}_]+/gu, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60);
    return join(this.#base, repository, `${word || "ref"}-${commit.slice(0, 12)}`);
  }

  #leaseOf(path: string): string {
    return `${path}.by-${this.#options.env.self.pid}`;
  }

  async #anyAlive(folder: string, leases: readonly string[]): Promise<boolean> {
    for (const lease of leases) {
      const owner = await readOwner(join(folder, lease));
      if (owner !== undefined && this.#options.env.isAlive(owner)) return true;
    }
    return false;
  }
}

/** The same files that git creates for a linked work tree. */
async function writeGitDirectory({ root, commit }: CommitTree, path: string): Promise<void> {
  const directory = `${path}.git`;
  const common = locateRepository(root)?.commonDir ?? root;
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "HEAD"), `${commit}\n`);
  await writeFile(join(directory, "commondir"), `${common}\n`);
  await writeFile(join(directory, "gitdir"), `${join(path, ".git")}\n`);
}

function worktreeName(name: string): string {
  return name.replace(/\.(?:git|by-\d+|new-\d+)$/, "");
}

/** Removes leases last, so that a sweep finds what an interrupted one left. */
async function remove(path: string, leases: readonly string[]): Promise<void> {
  for (const name of await namesIn(join(path, ".."))) {
    const other = join(path, "..", name);
    if (worktreeName(other) === path && !leases.includes(other)) await rm(other, { recursive: true, force: true });
  }
  for (const lease of leases) await rm(lease, { force: true });
}

async function readOwner(lease: string): Promise<ProcessIdentity | undefined> {
  try {
    const { pid, incarnation } = JSON.parse(readBoundedText(lease, SMALL_FILE_BYTES) ?? "") as ProcessIdentity;
    return Number.isInteger(pid) && typeof incarnation === "string" ? { pid, incarnation } : undefined;
  } catch {
    return undefined;
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** Blobs that are read and written concurrently. */
const AT_ONCE = 64;

async function checkout(root: string, commit: string, into: string): Promise<void> {
  const objects = new CatFile(root);
  // Latin-1 keeps every byte of a name.
  const trees = new Trees(objects, (bytes) => bytes.toString("latin1"));
  try {
    await writeTree(`${commit}^{tree}`, Buffer.from(into).toString("latin1"), objects, trees);
  } catch (error) {
    if (!(error instanceof MissingTree)) throw error;
    throw await missingTree(root, commit, error);
  } finally {
    objects.close();
  }
}

async function writeTree(tree: string, into: string, objects: CatFile, trees: Trees): Promise<void> {
  await mkdir(pathBytes(into), { recursive: true });
  const entries = (await trees.entries(tree)).filter(({ name }) => isSafeTreeName(name));
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    await Promise.all(entries.slice(at, at + AT_ONCE).map((entry) => write(entry, join(into, entry.name), objects)));
  }
  for (const { kind, id, name } of entries)
    if (kind === "directory") await writeTree(id, join(into, name), objects, trees);
}

async function write({ kind, id, executable }: TreeEntry, path: string, objects: CatFile): Promise<void> {
  if (kind === "directory") return;
  // A submodule that is not initialised is an empty directory.
  if (kind === "repository") return void (await mkdir(pathBytes(path), { recursive: true }));
  const object = await objects.get(id);
  // A partial clone may not have this blob; write the others.
  if (!("bytes" in object)) return;
  if (kind === "symlink" && (await link(object.bytes, path))) return;
  await writeFile(pathBytes(path), object.bytes, { flag: "wx", mode: executable ? 0o755 : 0o644 });
}

/** False where no links can be made, as on Windows without that right: as with git, the text of the link becomes the file. */
async function link(target: Uint8Array, path: string): Promise<boolean> {
  try {
    await symlink(Buffer.from(target), pathBytes(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    return false;
  }
}

function pathBytes(path: string): Buffer {
  return Buffer.from(path, "latin1");
}

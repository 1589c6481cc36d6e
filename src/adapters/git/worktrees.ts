/**
 * Directories with a commit's files under the data directory. Each is a work tree that git can read (`git log` works in
 * it) but that the repository does not list: its own git directory lies beside it and not in the repository.
 *
 *     worktrees/<repository>/feat-a-0123456789ab           the files
 *     worktrees/<repository>/feat-a-0123456789ab.git/      HEAD, index, where the objects are
 *     worktrees/<repository>/feat-a-0123456789ab.by-<pid>  who needs it; one per process
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readBoundedText, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import type { Hash } from "../../model/ids.ts";
import type { Env, ProcessIdentity } from "../../ports/env.ts";
import type { CommitTree, Worktrees } from "../../ports/vcs.ts";
import { CatFile } from "./cat-file.ts";
import { git, withoutNamedPrograms } from "./command.ts";
import { locateRepository } from "./repository-files.ts";
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
    await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
    // The lease comes first: what is made without one is swept away.
    await writeFile(this.#leaseOf(path), JSON.stringify(this.#options.env.self), { mode: 0o600 });
    if (!existsSync(path)) await this.#build(at, path);
    return path;
  }

  /** Made beside its place and moved there when it is whole. */
  async #build(at: CommitTree, path: string): Promise<void> {
    const draft = `${path}.new-${this.#options.env.self.pid}`;
    await rm(draft, { recursive: true, force: true });
    await checkout(at.root, at.commit, draft);
    await writeGitDirectory(at, path);
    await writeFile(join(draft, ".git"), `gitdir: ${path}.git\n`);
    // Another process may have been quicker; its files are the same.
    await rename(draft, path).catch(() => rm(draft, { recursive: true, force: true }));
    // Fills the index only. If the hooks cannot be listed, it stays empty and `git status` there calls every file new.
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

/** As git itself makes one for a linked work tree, but for its place. */
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

/** The lease goes last: a process that is killed here leaves something to find. */
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

/** Blobs that are read ahead of being written. */
const AT_ONCE = 64;

async function checkout(root: string, commit: string, into: string): Promise<void> {
  const objects = new CatFile(root);
  // Each byte as one character, so that any name comes back as it was.
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
  const entries = (await trees.entries(tree)).filter(({ name }) => isSafe(name));
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    await Promise.all(entries.slice(at, at + AT_ONCE).map((entry) => write(entry, join(into, entry.name), objects)));
  }
  for (const { kind, id, name } of entries)
    if (kind === "directory") await writeTree(id, join(into, name), objects, trees);
}

async function write({ kind, id, executable }: TreeEntry, path: string, objects: CatFile): Promise<void> {
  if (kind === "directory") return;
  // A submodule is an empty directory until it is asked for.
  if (kind === "repository") return void (await mkdir(pathBytes(path), { recursive: true }));
  const object = await objects.get(id);
  // A partial clone may not have it; the rest is of use all the same.
  if (!("bytes" in object)) return;
  if (kind === "symlink") await symlink(Buffer.from(object.bytes), pathBytes(path));
  else await writeFile(pathBytes(path), object.bytes, { flag: "wx", mode: executable ? 0o755 : 0o644 });
}

/** Git refuses such names; an object that was made by hand may have them. */
function isSafe(name: string): boolean {
  return !/^(?:\.{0,2}|\.git|git~\d+)$/i.test(name) && !/[/\0]/.test(name);
}

function pathBytes(path: string): Buffer {
  return Buffer.from(path, "latin1");
}

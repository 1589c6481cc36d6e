/** The `Vcs` port: reads git's files where possible and runs git otherwise. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Head, NamedRef, RepositoryRefs, Vcs } from "../../ports/vcs.ts";
import { git, refusal } from "./command.ts";
import {
  blobNames,
  type GitRepository,
  isObjectId,
  listWorktrees,
  locateRepository,
  lostRepository,
  readHead,
  readRef,
  readSymbolic,
  usesReftable,
} from "./repository-files.ts";
import { repositoryProblems } from "./special-files.ts";

export function gitVcs(): Vcs {
  return {
    async repository(path) {
      const found = locateRepository(path);
      if (found === undefined) return undefined;
      const { root, commonDir, gitDir, bare } = found;
      return { root, commonDir, bare, linked: gitDir !== commonDir && !bare, blobs: blobNames(found) };
    },
    head,
    isWriting: async (root) => {
      const repository = locateRepository(root);
      return repository !== undefined && existsSync(join(repository.gitDir, "index.lock"));
    },
    defaultBranch,
    resolve,
    named,
    tip,
    gainedSince: async (root, at) => {
      const repository = locateRepository(root);
      if (repository === undefined) return false;
      return newestObject(join(repository.commonDir, "objects")) >= at;
    },
    lost: async (root) => (locateRepository(root) === undefined ? lostRepository(root) : undefined),
    refusal,
    problems: async (root) => repositoryProblems(root),
    refNames,
    worktrees: async (root) => {
      const repository = locateRepository(root);
      return repository === undefined ? [] : listWorktrees(repository);
    },
  };
}

/** Fetched objects arrive as packs or, if few, in directories named after their first byte. */
function newestObject(objects: string): number {
  // The repository may be in the middle of being deleted.
  const all = statSync(objects, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(objects) : [];
  const places = all.filter((name) => name === "pack" || /^[0-9a-f]{2}$/.test(name));
  return Math.max(...places.map((name) => statSync(join(objects, name), { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

async function head(root: string): Promise<Head | undefined> {
  const repository = locateRepository(root);
  if (repository === undefined) return undefined;
  const found = readHead(repository);
  return found === "later" ? headByGit(root) : found;
}

async function headByGit(root: string): Promise<Head> {
  const branch = await git(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  const commit = await resolve(root, "HEAD");
  return { ...(branch && { branch }), ...(commit && { commit }) };
}

async function defaultBranch(root: string): Promise<string | undefined> {
  const repository = locateRepository(root);
  if (repository === undefined) return undefined;
  const remote = await symbolic(repository, "refs/remotes/origin/HEAD");
  if (remote) return remote.replace(/^refs\/remotes\/origin\//, "");
  for (const name of ["main", "master"]) if (await tipIn(repository, `refs/heads/${name}`)) return name;
  return (await head(root))?.branch;
}

async function symbolic(repository: GitRepository, ref: string): Promise<string | undefined> {
  if (!usesReftable(repository)) return readSymbolic(repository, ref);
  return git(repository.root, ["symbolic-ref", "--quiet", ref]);
}

async function resolve(root: string, ref: string): Promise<string | undefined> {
  // A NUL cannot be an argument; an empty ref is none.
  if (ref === "" || ref.includes("\0")) return undefined;
  // An unbalanced brace would swallow the suffix and become a date.
  if (ref.split("{").length !== ref.split("}").length) return undefined;
  const commit = await git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
  return commit !== undefined && isObjectId(commit) ? commit : undefined;
}

const NAMESPACES = ["refs/heads/", "refs/tags/", "refs/remotes/"];

async function named(root: string, ref: string): Promise<NamedRef | undefined> {
  const fullNames = ref.startsWith("refs/") ? [ref] : isRefName(ref) ? NAMESPACES.map((space) => space + ref) : [];
  for (const full of fullNames) {
    const commit = await tip(root, full);
    if (commit !== undefined) return { name: await shortName(root, full), full, commit };
  }
  const commit = await resolve(root, ref);
  return commit === undefined ? undefined : { name: commit, full: commit, commit };
}

/** The shortest unambiguous name. */
async function shortName(root: string, full: string): Promise<string> {
  const space = NAMESPACES.findIndex((one) => full.startsWith(one));
  if (space < 0) return full;
  const short = full.slice(NAMESPACES[space]!.length);
  for (const before of NAMESPACES.slice(0, space))
    if (await tip(root, before + short)) return full.slice("refs/".length);
  return short;
}

/** Whether this is a plain ref name; git resolves everything else (`HEAD~3`, `@{1}`). */
function isRefName(ref: string): boolean {
  return !/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.lock(?:\/|$)|(?:^|\/)\.|^@$|\.$/.test(ref) && ref !== "";
}

/** A picker of refs shows no more than these. */
const MOST_REF_NAMES = 4_000;

async function refNames(root: string): Promise<RepositoryRefs> {
  const list = async (...spaces: readonly string[]) => {
    const options = ["--sort=-creatordate", `--count=${MOST_REF_NAMES}`, "--format=%(refname)"];
    const names = (await git(root, ["for-each-ref", ...options, ...spaces]))?.split("\n") ?? [];
    return names.filter((name) => name !== "" && name !== "refs/remotes/origin/HEAD").map(withoutNamespace);
  };
  return { branches: await list("refs/heads", "refs/remotes"), tags: await list("refs/tags") };
}

function withoutNamespace(full: string): string {
  return full.slice(NAMESPACES.find((space) => full.startsWith(space))?.length ?? 0);
}

async function tip(root: string, full: string): Promise<string | undefined> {
  if (isObjectId(full)) return full;
  const repository = locateRepository(root);
  return repository && tipIn(repository, full);
}

async function tipIn(repository: GitRepository, full: string): Promise<string | undefined> {
  if (!isRefName(full)) return undefined;
  if (usesReftable(repository)) return resolve(repository.root, full);
  const commit = readRef(repository, full);
  if (commit === "later") return resolve(repository.root, full);
  // An annotated tag names a tag object, not the commit.
  return commit !== undefined && full.startsWith("refs/tags/") ? resolve(repository.root, full) : commit;
}

/**
 * What is different where an index is shared by many machines: a repository goes by the name it was cloned from, not by
 * where it lies here, and a working tree's own view says whose it is.
 */
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { locateRepository, remoteName } from "../adapters/git/repository-files.ts";
import { readBoundedText, SMALL_FILE_BYTES } from "../io/bounded-read.ts";
import { makeDirectories } from "../io/make-directories.ts";
import type { Hash } from "../model/ids.ts";
import type { Registry } from "../ports/registry.ts";
import type { Vcs } from "../ports/vcs.ts";

/** Beside what this machine knows of the index. */
const NAME_FILE = "repository";

/** Registrations with one shared store do not mix with those of another, nor with those of this machine's own indexes. */
export function sharedHome(home: string, shown: string, hash: Hash): string {
  return join(home, "shared", hash(shown).slice(0, 16));
}

/** `host/owner/name`, and the place in it; undefined for a tree that only this machine knows. */
export function sharedName(root: string): string | undefined {
  const repository = locateRepository(root);
  const name = repository && remoteName(repository.commonDir);
  return name === undefined ? undefined : `${name}${root.slice(repository!.root.length)}`;
}

/** Two clones of one repository share an index, on whatever machine they lie. */
export function sharedRegistry(registry: Registry): Registry {
  const addNamed = async (root: string, name: string, how?: RegistrationOptions) => {
    const row = await registry.add(root, `name\0${name}`, how);
    makeDirectories(row.storeLocation, 0o700);
    writeFileSync(join(row.storeLocation, NAME_FILE), name, { mode: 0o600 });
    return row;
  };
  return {
    ...registry,
    // A clone that was given another remote since is of another repository. A server that has it open keeps what it has.
    find: async (root) => {
      const row = await registry.find(root);
      const name = row && sharedName(root);
      return name === undefined || name === nameAt(row!.storeLocation) ? row : addNamed(root, name, row);
    },
    add: async (root, storeKey, how) => {
      const name = sharedName(root);
      if (name !== undefined) return addNamed(root, name, how);
      const row = await registry.add(root, `${hostname()}\0${storeKey}`, how);
      makeDirectories(row.storeLocation, 0o700);
      return row;
    },
  };
}

type RegistrationOptions = Parameters<Registry["add"]>[2];

/** What `sharedRegistry` wrote down for the index at this location. */
export function nameAt(storeLocation: string): string | undefined {
  return readBoundedText(join(storeLocation, NAME_FILE), SMALL_FILE_BYTES);
}

/** Every clone is one work tree of many: its edits are its own, what commits show is everybody's. */
export function sharedVcs(vcs: Vcs, hash: Hash): Vcs {
  return {
    ...vcs,
    repository: async (path) => {
      const place = await vcs.repository(path);
      if (place === undefined || sharedName(place.root) === undefined) return place;
      return { ...place, linked: true, worktree: hash(`${hostname()}\0${place.root}`).slice(0, 16) };
    },
  };
}

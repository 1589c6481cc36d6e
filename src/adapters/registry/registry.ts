/** Known trees as one small file each, so that two processes never overwrite each other's rows. */
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, parse } from "node:path";
import { type Hash, type ProjectId, projectId } from "../../model/ids.ts";
import type { Registry, WorkspaceRow } from "../../ports/registry.ts";

export interface RegistryOptions {
  /** The data directory. */
  readonly home: string;
  readonly hash: Hash;
  readonly now: () => number;
}

export function diskRegistry(options: RegistryOptions): Registry {
  const folder = join(options.home, "workspaces");
  const fileOf = (id: ProjectId) => join(folder, `${id}.json`);
  return {
    find: async (root) => readRow(fileOf(projectId(root, options.hash)), options.home),
    list: async () => {
      const names = await readdir(folder).catch(() => []);
      const rows = await Promise.all(names.filter(isRow).map((name) => readRow(join(folder, name), options.home)));
      return rows.filter((row) => row !== undefined).sort((a, b) => (a.root < b.root ? -1 : 1));
    },
    add: async (root, storeKey) => {
      const id = projectId(root, options.hash);
      const store = options.hash(storeKey).slice(0, 16);
      await writeRow(fileOf(id), { id, root, store, registered_at: options.now() });
      return { id, root, storeLocation: join(options.home, "stores", store), registeredAt: options.now() };
    },
    refusal: (root) => {
      if (parse(root).root === root) return "it is the root of a drive";
      if (root === homedir() || dirname(root) === "/home" || root === "/home") return "it is a home directory";
      return undefined;
    },
  };
}

function isRow(name: string): boolean {
  return /^[0-9a-f]{16}\.json$/.test(name);
}

/** A row that is absent or was damaged is no row: registering again writes it anew. */
async function readRow(file: string, home: string): Promise<WorkspaceRow | undefined> {
  try {
    const row = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
    const { id, root, store, registered_at: registeredAt } = row;
    if (typeof id !== "string" || typeof root !== "string" || typeof store !== "string") return undefined;
    if (!/^[0-9a-f]{16}$/.test(store)) return undefined;
    return {
      id: id as ProjectId,
      root,
      storeLocation: join(home, "stores", store),
      registeredAt: Number(registeredAt) || 0,
    };
  } catch {
    return undefined;
  }
}

let drafts = 0;

async function writeRow(file: string, row: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}-${++drafts}.tmp`;
  await writeFile(draft, `${JSON.stringify(row)}\n`, { mode: 0o600 });
  await rename(draft, file);
}

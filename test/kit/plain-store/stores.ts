/**
 * The plain in-memory store: the meaning of the port, short enough to read in one sitting.
 *
 * Stores of one location share their content, as processes share a database. Nothing survives the process.
 */
import { CompassError } from "../../../src/model/errors.ts";
import type { Generation, Hash, JobId, ProjectId } from "../../../src/model/ids.ts";
import type { Job } from "../../../src/model/jobs.ts";
import type { Build, Publication } from "../../../src/ports/build.ts";
import type { Env, ProcessIdentity } from "../../../src/ports/env.ts";
import type { Stamped, ViewEntry } from "../../../src/ports/snapshot.ts";
import type { ContentRestore, Lease, LeaseAnswer, Store, StoreOpener } from "../../../src/ports/store.ts";
import { type FileBatch, type VersionKey, versionKeyText } from "../../../src/ports/versions.ts";
import { type Version, versionsOf } from "./content.ts";
import { dumpOf } from "./dump.ts";
import { type Entry, infoOf, type Published, snapshotOf } from "./snapshot.ts";

export function plainStores(options: { readonly env: Env; readonly hash?: Hash }): StoreOpener {
  const worlds = new Map<string, World>();
  return {
    open: async (location) => {
      const world = worlds.get(location) ?? emptyWorld();
      worlds.set(location, world);
      return memoryStore(world, options.env);
    },
    remove: async (location) => void worlds.delete(location),
    shared: undefined,
    close: async () => {},
  };
}

interface World {
  versions: Map<string, Version>;
  views: Map<string, Published>;
  /** By work tree and path. */
  trees: Map<ProjectId, Map<string, Stamped>>;
  lastId: number;
  /** The publication of each job. */
  readonly published: Map<JobId, Generation>;
  readonly uses: Map<string, number>;
  readonly jobs: Map<JobId, { job: Job; owner: ProcessIdentity }>;
  token: number;
  holder: { readonly owner: ProcessIdentity; readonly ttlMs: number; expiresAt: number } | undefined;
}

function emptyWorld(): World {
  const maps = {
    versions: new Map(),
    views: new Map(),
    trees: new Map(),
    published: new Map(),
    jobs: new Map(),
    uses: new Map(),
  };
  return { ...maps, lastId: 0, token: 0, holder: undefined };
}

function memoryStore(world: World, env: Env): Store {
  return {
    caps: () => ({ engine: "memory", bm25: "native", sharedReaders: false, multiWriter: false }),
    inspect: async () => ({
      status: world.views.size === 0 ? "not_indexed" : "compatible",
      currentVersion: world.views.size === 0 ? 0 : 1,
      requiredVersion: 1,
    }),
    lease: async (owner, ttlMs) => leaseOf(world, env, owner, ttlMs),
    begin: async (lease, ref, mode, { base } = {}) => {
      requireNewest(world, lease);
      return mode === "reset" ? resetBuild(world, lease, ref) : buildOf(world, world, lease, ref, base);
    },
    snapshot: async (ref, limits) => {
      limits?.signal?.throwIfAborted();
      const view = world.views.get(ref);
      return view && snapshotOf(view, (tree) => knownStamps(world, tree), env.monotonic);
    },
    views: async () => [...world.views.values()].map((view) => infoOf(view)).sort((a, b) => (a.ref < b.ref ? -1 : 1)),
    records: async (keys, limits) => {
      limits?.signal?.throwIfAborted();
      return new Map(
        keys.map(versionKeyText).flatMap((key) => {
          const version = world.versions.get(key);
          return version === undefined ? [] : [[key, version.record]];
        }),
      );
    },
    used: async (view) => void world.uses.set(view, env.now()),
    uses: async () => new Map(world.uses),
    recordJob: async (job, owner) => void world.jobs.set(job.id, { job, owner }),
    jobs: async (limit) => jobsOf(world, env).slice(0, limit),
    sizeBytes: async () =>
      [...world.versions.values()].reduce((sum, { stored }) => sum + stored.record.length + stored.text.length, 0),
    verify: async () => [],
    gc: async (lease) => {
      requireNewest(world, lease);
      return { versionsRemoved: forgetUnused(world), segmentsMerged: 0, bytesFreed: 0 };
    },
    dump: async () => dumpOf(world.versions, [...world.views.values()]),
    idsProject: async () => undefined,
    damage: async () => undefined,
    noteDamage: async () => {},
    rest: () => {},
    restore: async (lease) => {
      requireNewest(world, lease);
      return restoring(world, lease);
    },
    forget: async (lease, refs) => {
      requireNewest(world, lease);
      return refs.map((ref) => ({ ref, outcome: world.views.delete(ref) ? "forgotten" : "unknown" }));
    },
    close: async () => {},
  };
}

/** Like a reset, for many views at once. */
function restoring(world: World, lease: Lease): ContentRestore {
  const fresh = { ...emptyWorld(), lastId: world.lastId };
  return {
    begin: async (ref, { base } = {}) => buildOf(fresh, world, lease, ref, base),
    commit: async () => {
      requireNewest(world, lease);
      const { versions, views, trees, lastId } = fresh;
      Object.assign(world, { versions, views, trees, lastId });
    },
    abort: async () => {},
  };
}

function leaseOf(world: World, env: Env, owner: ProcessIdentity, ttlMs: number): LeaseAnswer {
  if (world.holder && holds(world.holder, env)) return { held: true, by: world.holder.owner };
  const token = ++world.token;
  const holder = { owner, ttlMs, expiresAt: env.now() + ttlMs };
  world.holder = holder;
  const renew = async () => {
    requireNewest(world, { token });
    holder.expiresAt = env.now() + ttlMs;
  };
  const release = async () => {
    if (world.token === token) world.holder = undefined;
  };
  return { lease: { token, renew, release } };
}

function holds({ owner, ttlMs, expiresAt }: NonNullable<World["holder"]>, env: Env): boolean {
  const left = expiresAt - env.now();
  // Far more time left than was ever granted: the clock was set back, so the date means nothing.
  return left > 0 && left <= 2 * ttlMs && env.isAlive(owner);
}

function requireNewest(world: World, lease: Pick<Lease, "token">): void {
  if (lease.token !== world.token || world.holder === undefined) throw new CompassError("index_in_progress");
}

/** Builds next to the current content and replaces it on publish. */
function resetBuild(world: World, lease: Lease, ref: string): Build {
  const fresh = { ...emptyWorld(), lastId: world.lastId };
  const build = buildOf(fresh, world, lease, ref);
  return {
    ...build,
    publish: async (publication) => {
      const generation = await build.publish(publication);
      const { versions, views, trees, lastId } = fresh;
      Object.assign(world, { versions, views, trees, lastId });
      return generation;
    },
  };
}

function buildOf(world: World, guard: World, lease: Lease, ref: string, base?: string): Build {
  const present = () => world.views.get(ref) ?? (base === undefined ? undefined : world.views.get(base));
  return {
    entries: async () => entriesOf(present()),
    recall: async (blobs, extractor) => recalled(world, blobs, extractor),
    known: async (keys) => new Set(keys.map(versionKeyText).filter((key) => world.versions.has(key))),
    put: async (batch) => {
      requireNewest(guard, lease);
      put(world, batch);
    },
    putVectors: async (model, files) => {
      requireNewest(guard, lease);
      const byId = new Map([...world.versions.values()].map((version) => [version.row.id, version]));
      for (const { file, vectors } of files) byId.get(file)?.vectors.set(model, vectors);
    },
    stamps: async (tree) => knownStamps(world, tree),
    restamp: async (tree, stamps) => {
      requireNewest(guard, lease);
      const known = new Map(world.trees.get(tree));
      for (const stamped of stamps) known.set(stamped.path, stamped);
      world.trees.set(tree, known);
    },
    publish: async (publication) => {
      const before = guard.published.get(publication.jobId);
      if (before !== undefined) return before;
      requireNewest(guard, lease);
      const generation = publish(world, ref, publication, present());
      guard.published.set(publication.jobId, generation);
      return generation;
    },
    isCollectionDue: () => false,
    abort: async () => {},
  };
}

function put(world: World, batch: FileBatch): void {
  for (const version of versionsOf(batch, () => ++world.lastId)) {
    const key = versionKeyText(version.stored);
    if (!world.versions.has(key)) world.versions.set(key, version);
  }
}

function recalled(world: World, blobs: Parameters<Build["recall"]>[0], extractor: string): Map<string, VersionKey> {
  const found = new Map<string, VersionKey>();
  for (const { path, blob } of blobs)
    for (const { stored } of world.versions.values())
      if (stored.blob === blob && stored.path === path && stored.extractor === extractor)
        found.set(path, { path, contentHash: stored.contentHash, extractor });
  return found;
}

/** Shared by all stores of this process. */
let lastState = 0;

function publish(world: World, ref: string, publication: Publication, from: Published | undefined): Generation {
  const before = world.views.get(ref);
  const entries = new Map<string, Entry>(from?.entries);
  for (const change of publication.changes) {
    if ("removed" in change) entries.delete(change.path);
    else
      entries.set(
        change.path,
        "skip" in change ? { skip: change.skip } : { version: versionFor(world, change.version) },
      );
  }
  const generation = ((before?.generation ?? 0) + 1) as Generation;
  const { commit, publishedAt, uncounted = before?.uncounted ?? {} } = publication;
  const published = {
    stateId: String(++lastState),
    ref,
    generation,
    publishedAt,
    uncounted,
    entries,
    ...(commit !== undefined && { commit }),
  };
  world.views.set(ref, published);
  return generation;
}

function versionFor(world: World, key: Parameters<typeof versionKeyText>[0]): Version {
  const version = world.versions.get(versionKeyText(key));
  if (!version) throw new CompassError("internal_error", { reason: `${key.path} was published but never stored` });
  return version;
}

/** A stamp of a removed version has no meaning. */
function knownStamps(world: World, tree: ProjectId): ReadonlyMap<string, Stamped> {
  const known = [...(world.trees.get(tree) ?? [])];
  return new Map(known.filter(([, it]) => "skip" in it || world.versions.has(versionKeyText(it.version))));
}

function entriesOf(view: Published | undefined): ReadonlyMap<string, ViewEntry> {
  const entries = [...(view?.entries ?? [])].map(([path, entry]): [string, ViewEntry] => {
    if ("skip" in entry) return [path, { path, skip: entry.skip }];
    const { contentHash, extractor } = entry.version.stored;
    return [path, { path, version: { path, contentHash, extractor } }];
  });
  return new Map(entries);
}

function jobsOf(world: World, env: Env): Job[] {
  const jobs = [...world.jobs.values()].map(({ job, owner }) =>
    job.status === "running" && !env.isAlive(owner) ? { ...job, status: "interrupted" as const } : job,
  );
  return jobs.reverse().sort((a, b) => b.startedAt - a.startedAt);
}

/** Snapshots hold their versions themselves, so nothing in use can be removed. */
function forgetUnused(world: World): number {
  const used = new Set<Version>();
  for (const view of world.views.values())
    for (const entry of view.entries.values()) if ("version" in entry) used.add(entry.version);
  const unused = [...world.versions].filter(([, version]) => !used.has(version));
  for (const [key] of unused) world.versions.delete(key);
  return unused.length;
}

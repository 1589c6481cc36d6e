/**
 * The store: content once, refs are views, publishing swaps a pointer. All of its logic is here and beside it, once for
 * every backend.
 */
import type { FileRecord } from "../model/code.ts";
import { COMPILER_VIEW } from "../model/compiler-edges.ts";
import { CompassError, errorMessage, isDamage } from "../model/errors.ts";
import type { FileId, JobId, ProjectId } from "../model/ids.ts";
import {
  type Backend,
  type OpenedContent,
  SchemaMismatch,
  type ViewRow,
  type WritableContent,
} from "../ports/backend.ts";
import type { Build } from "../ports/build.ts";
import type { Env } from "../ports/env.ts";
import type { Limits, ViewInfo } from "../ports/snapshot.ts";
import type { Finding, ForgetResult, Lease, SchemaReport, Store, StoreCaps } from "../ports/store.ts";
import { type VersionKeyText, versionKeyText } from "../ports/versions.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { buildOf } from "./build.ts";
import { ContentReader, type ReaderOptions } from "./content-reader.ts";
import { copyFiles, dumpOf, EMPTY_DUMP } from "./dump.ts";
import { JOBS_KEPT, readJobs, takeLease } from "./leases.ts";
import { SegmentMerger } from "./merging.ts";
import { versionsByKey } from "./publish.ts";
import { Aborted } from "./segments.ts";
import { snapshotOf } from "./snapshot.ts";
import { verifyContent } from "./verify.ts";
import { packView } from "./view-pack.ts";
import { infoOf, stateIdOf, type ViewState } from "./view-state.ts";

export const SCHEMA_VERSION = 3;

export interface StoreOptions extends ReaderOptions {
  readonly backend: Backend;
  readonly caps: StoreCaps;
  readonly env: Env;
  /** False: nothing is ever written. */
  readonly create: boolean;
  /** Turns what the backend throws while it is `doing` something into a refusal, or leaves it as it is. */
  readonly refusal: (doing: string, error: unknown) => unknown;
}

/** A reader in another process may hold a state for this long after it was replaced. */
const GRACE_MS = 10 * 60_000;
/** A view's use is noted at most this often. */
const USE_MS = 60_000;
/** Publications that may come between reading a view's row and its entries. */
const MOST_PUBLICATIONS = 5;

export function engineStore(options: StoreOptions): Store {
  const { backend, env } = options;
  const noted = new Map<string, number>();
  const notes = new Set<Promise<unknown>>();
  let reader: ContentReader | undefined;
  let project: ProjectId | undefined;
  let isClosed = false;

  const run = async <T>(doing: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Aborted) throw error.reason;
      if (!(error instanceof SchemaMismatch)) throw options.refusal(doing, error);
      throw new CompassError("index_incompatible", { reason: schemaMessage(error.version) });
    }
  };
  const reading = <T>(read: () => Promise<T>) => run("reading the index", read);
  const writing = <T>(doing: string, write: () => Promise<T>) =>
    run(doing, () => {
      if (!options.create)
        throw new CompassError("internal_error", { reason: "the index was opened for reading only" });
      return write();
    });

  /** The current content, with its reader. */
  const open = async (
    ref?: string,
    limits?: Limits,
  ): Promise<(OpenedContent & { reader: ContentReader }) | undefined> => {
    const opened = await backend.views(ref === undefined ? {} : { ref }, limits);
    // Content that one principal may not see is still there for others.
    if (opened === undefined && !options.isEmbedded) return undefined;
    if (reader !== undefined && reader.content !== opened?.content) {
      reader.retire();
      reader = undefined;
    }
    if (opened === undefined) return undefined;
    reader ??= new ContentReader(opened.content, options);
    reader.noteRows(opened.views);
    project ??= opened.project;
    return { ...opened, reader };
  };

  /** The newest published state of a ref. */
  const stateOf = async (
    ref: string,
    limits?: Limits,
  ): Promise<{ reader: ContentReader; state: ViewState } | undefined> => {
    let failed: { readonly stateId: string; readonly error: unknown } | undefined;
    for (let attempt = 1; ; attempt++) {
      const opened = await open(ref, limits);
      const row = opened?.views.find((view) => view.ref === ref);
      if (opened === undefined || row === undefined) return undefined;
      const stateId = stateIdOf(row, opened.content.id);
      // Its entries may have been replaced since its row was read; if the row is the same again, they are damaged.
      if (failed?.stateId === stateId) throw failed.error;
      try {
        return { reader: opened.reader, state: await opened.reader.state(row) };
      } catch (error) {
        if (!(error instanceof CorruptionError) || attempt === MOST_PUBLICATIONS) throw error;
        failed = { stateId, error };
      }
    }
  };

  /** Damage is noticed before the answer begins, while the index can still be rebuilt. */
  const loadedOf = async (ref: string, limits: Limits | undefined, seen: ObservedState) => {
    const known = reader?.known(ref, seen);
    const found = known === undefined ? await stateOf(ref, limits) : { reader: reader!, state: known };
    return found && { reader: found.reader, pinned: found.state, load: async () => found.state };
  };

  /**
   * Another machine is not asked for the rows of a view before they are needed: where a reader thread answers, this one
   * needs none. Replaced rows stay there for `GRACE_MS`.
   */
  const pinnedOf = async (ref: string, limits: Limits | undefined, seen: ObservedState) => {
    const known = reader?.knownRow(ref, seen);
    const opened = known === undefined ? await open(ref, limits) : { reader: reader!, views: [known] };
    const row = opened?.views.find((view) => view.ref === ref);
    if (opened === undefined || row === undefined) return undefined;
    let loading: Promise<ViewState> | undefined;
    const load = () => {
      loading ??= opened.reader.state(row);
      return loading;
    };
    const pinned = { view: row.id, info: infoOf(row, opened.reader.content.id) };
    return { reader: opened.reader, pinned, load };
  };

  /** The generations of a rebuilt view continue those of the old one, as far as it can still be read. */
  const lastGeneration = async (ref: string): Promise<number> => {
    try {
      return (await stateOf(ref))?.state.info.generation ?? 0;
    } catch {
      // Answers are remembered by generation, and one that came again would bring back what another state answered.
      // Seconds are ahead of any count of publications.
      return Math.floor(env.now() / 1000);
    }
  };

  /** They belong to contents and not to views; those that can no longer be read have to be imported again. */
  const carryCompilerEdges = async (into: WritableContent): Promise<void> => {
    const found = await stateOf(COMPILER_VIEW).catch(() => undefined);
    if (found === undefined) return;
    const carried = build(into, COMPILER_VIEW, { after: 0, base: undefined, ...NOTHING_AT_THE_END });
    const { content } = found.reader;
    await copyFiles(content, [...found.state.files.values()], carried, env.uniqueWord() as JobId, env.now()).catch(
      () => {},
    );
  };

  const build = (content: WritableContent, ref: string, it: BuildStart & BuildEnds): Build =>
    buildOf({ content, ref, isEmbedded: options.isEmbedded, run, ...it });

  const rebuild = async (lease: Lease, ref: string, defaultRef: string | undefined): Promise<Build> => {
    const after = await lastGeneration(ref);
    const content = await backend.begin(lease, "replace", defaultRef);
    const onPublished = async () => {
      await carryCompilerEdges(content);
      await content.swap();
    };
    const ends = { onPublished, onAbort: () => content.close() };
    return build(content, ref, { after, base: undefined, ...ends });
  };

  /** Runs something that the lease lets its holder do to the current content. */
  const held = async <T>(lease: Lease, work: (content: WritableContent, views: readonly ViewRow[]) => Promise<T>) => {
    const content = await backend.begin(lease, "update");
    return work(content, await content.rows("views", {}));
  };

  return {
    caps: () => options.caps,
    // Only a shared index knows; one of this machine need not even be readable.
    idsProject: async () => (options.isEmbedded ? undefined : (project ?? (await reading(() => open()))?.project)),
    inspect: async () => {
      try {
        return await inspect();
      } catch (error) {
        const isContent = error instanceof CorruptionError || error instanceof SyntaxError;
        const refusal = options.refusal("reading the index", error);
        // A server that cannot be reached says nothing about the index.
        if (!options.isEmbedded && !isContent) throw refusal;
        return refused(refusal);
      }
    },
    damage: () => reading(async () => (await backend.records("damage"))[0]?.reason),
    noteDamage: async (reason) => void (await backend.record({ damage: reason })),
    lease: (owner, ttlMs) => writing("taking the writer's lease", () => takeLease(backend, env, { owner, ttlMs, run })),
    begin: (lease, ref, mode, { base, defaultRef } = {}) =>
      writing("opening the index for writing", async () => {
        if (mode === "reset") return rebuild(lease, ref, defaultRef);
        const content = await backend.begin(lease, "update", defaultRef);
        return build(content, ref, { after: 0, base, ...NOTHING_AT_THE_END });
      }),
    snapshot: async (ref, limits, seen) => {
      limits?.signal?.throwIfAborted();
      return reading(async () => {
        const found = options.isEmbedded ? await loadedOf(ref, limits, seen) : await pinnedOf(ref, limits, seen);
        return found && snapshotOf({ ...found, monotonic: () => env.monotonic(), reading });
      });
    },
    views: () =>
      reading(async () => {
        const opened = await open();
        return opened?.views.filter(isNamed).map((row) => infoOf(row, opened.content.id)) ?? [];
      }),
    records: (keys, limits) =>
      reading(async () => {
        limits?.signal?.throwIfAborted();
        const found = new Map<VersionKeyText, FileRecord>();
        const opened = await open();
        if (opened === undefined) return found;
        const versions = await versionsByKey(opened.content, keys);
        const read = keys.map(async (key) => {
          const id = versions.get(versionKeyText(key))?.id;
          if (id !== undefined)
            found.set(versionKeyText(key), await opened.reader.contents.record({ ...key, id: id as FileId }));
        });
        await Promise.all(read);
        return found;
      }),
    used: async (view) => {
      const now = env.now();
      if (now - (noted.get(view) ?? Number.NEGATIVE_INFINITY) < USE_MS) return;
      noted.set(view, now);
      // A hint for pruning: a store that is full or cannot be written must not block an answer.
      const note = backend.record({ use: view }).catch(() => {});
      notes.add(note);
      await note;
      notes.delete(note);
    },
    uses: async () => {
      const uses = await backend.records("uses").catch(() => []);
      return new Map(uses.map(({ view, at }) => [view, at]));
    },
    recordJob: (job, owner) =>
      writing("recording a job", async () => void (await backend.record({ job, owner, keep: JOBS_KEPT }))),
    jobs: (limit) => run("reading the jobs", async () => (await readJobs(backend, env)).slice(0, limit)),
    sizeBytes: () => run("measuring the index", () => backend.sizeBytes()),
    verify: async (level) => {
      try {
        const opened = await open();
        return opened === undefined ? [] : await verifyContent({ opened, reader: opened.reader, level, findingOf });
      } catch (error) {
        if (!(error instanceof SchemaMismatch)) return [findingOf("database", error)];
        return [{ what: schemaMessage(error.version), where: "manifest" }];
      }
    },
    gc: (lease) =>
      writing("collecting garbage", async () => {
        const before = await backend.sizeBytes();
        const { versionsRemoved, segmentsMerged } = await held(lease, async (content, views) => {
          // First: a pack that is older than the rows that go would never again lead to the present state.
          for (const row of views) await packView(content, row);
          const pinned = (await open().catch(() => undefined))?.reader.oldestPins() ?? new Map();
          const [record] = await backend.records("lease");
          const versionsRemoved = await content.collect({ before: record!.now - GRACE_MS, pinned });
          const segmentsMerged = await new SegmentMerger(content).settle();
          await content.close();
          return { versionsRemoved, segmentsMerged };
        });
        return { versionsRemoved, segmentsMerged, bytesFreed: Math.max(0, before - (await backend.sizeBytes())) };
      }),
    dump: () =>
      reading(async () => {
        const opened = await backend.views({ isolated: true });
        if (opened === undefined) return EMPTY_DUMP;
        return dumpOf(
          { ...opened, views: opened.views.filter(isNamed) },
          new ContentReader(opened.content, options),
          reading,
        );
      }),
    restore: (lease) =>
      writing("opening the index for writing", async () => {
        const content = await backend.begin(lease, "replace");
        return {
          begin: async (ref, { base } = {}) =>
            build(content, ref, { after: await lastGeneration(ref), base, ...NOTHING_AT_THE_END }),
          commit: () => writing("replacing the index", () => content.swap()),
          abort: () => writing("discarding an import", () => content.close()),
        };
      }),
    forget: (lease, refs) =>
      writing("forgetting views", () =>
        held(lease, async (content, views) => {
          const pinned = (await open())?.reader.oldestPins() ?? new Map();
          const outcomes = forgetOutcomes(refs, views, pinned);
          const removed = outcomes.flatMap(({ ref, outcome }) =>
            outcome === "forgotten" ? views.filter((row) => row.ref === ref).map(({ id }) => id) : [],
          );
          if (removed.length > 0) await content.write("forget", [{ removeViews: removed }]);
          return outcomes;
        }),
      ),
    rest: () => {
      reader?.contents.clear();
      backend.rest();
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await Promise.all(notes);
      reader?.retire();
      await backend.close();
    },
  };

  async function inspect(): Promise<SchemaReport> {
    try {
      const opened = await open();
      const [newest] = (opened?.views ?? []).filter(isNamed).sort((a, b) => b.publishedAt - a.publishedAt);
      if (newest === undefined) return report("not_indexed", opened === undefined ? 0 : SCHEMA_VERSION);
      // The next query is most likely about it: its rows must add up.
      await stateOf(newest.ref);
      const [damage] = await backend.records("damage");
      if (damage !== undefined) throw new CorruptionError(damage.reason);
      return report("compatible", SCHEMA_VERSION);
    } catch (error) {
      if (!(error instanceof SchemaMismatch)) throw error;
      return report("reindex_required", error.version, `The index cannot be used: ${schemaMessage(error.version)}.`);
    }
  }

  function findingOf(where: string, error: unknown): Finding {
    const refusal = options.refusal("reading the index", error);
    const what =
      error instanceof CorruptionError || !(refusal instanceof Error) ? errorMessage(error) : refusal.message;
    return { what, where, ...(isDamage(refusal) && { damage: true }) };
  }
}

/** Whether callers know the view. */
function isNamed({ ref }: ViewRow): boolean {
  return ref !== COMPILER_VIEW;
}

type ObservedState = Pick<ViewInfo, "stateId"> | undefined;

interface BuildStart {
  readonly after: number;
  readonly base: string | undefined;
}

interface BuildEnds {
  readonly onPublished: () => Promise<void>;
  readonly onAbort: () => Promise<void>;
}

const NOTHING_AT_THE_END: BuildEnds = { onPublished: async () => {}, onAbort: async () => {} };

function forgetOutcomes(
  refs: readonly string[],
  views: readonly ViewRow[],
  pinned: ReadonlyMap<number, number>,
): ForgetResult[] {
  const gone = new Set<number>();
  return refs.map((ref) => {
    const row = views.find((view) => view.ref === ref && !gone.has(view.id));
    if (row === undefined) return { ref, outcome: "unknown" };
    if (pinned.has(row.id)) return { ref, outcome: "in_use" };
    if (views.some((view) => view.baseView === row.id && !gone.has(view.id))) return { ref, outcome: "base_of_others" };
    gone.add(row.id);
    return { ref, outcome: "forgotten" };
  });
}

function refused(error: unknown): SchemaReport {
  const found = report("corrupt_manifest", 0, errorMessage(error));
  return isDamage(error) ? { ...found, damage: String(error.data.reason) } : found;
}

function report(status: SchemaReport["status"], currentVersion: number, message?: string): SchemaReport {
  return { status, currentVersion, requiredVersion: SCHEMA_VERSION, ...(message !== undefined && { message }) };
}

function schemaMessage(version: number): string {
  return `it has schema version ${version}, this release reads ${SCHEMA_VERSION}`;
}

/** What readers ask of one repository: its states, what is stored of its files, its jobs. Nothing here writes. */
import type { FileRecord } from "../../model/code.ts";
import type { FileId, ProjectId } from "../../model/ids.ts";
import type { StoreDump } from "../../ports/dump.ts";
import type { Store } from "../../ports/store.ts";
import type { VersionKey, VersionKeyText } from "../../ports/versions.ts";
import { versionKeyText } from "../../ports/versions.ts";
import { dumpOf } from "./dump.ts";
import { refusal, refusing } from "./failures.ts";
import { inspectRepository, report } from "./inspect.ts";
import { readJobs, readUses } from "./jobs.ts";
import { versionIds } from "./put-batch.ts";
import { findRepository, placeOf, type Repository, repositoryBytes, requireSchema } from "./repository.ts";
import { orNothing } from "./schema-presence.ts";
import { snapshotOf } from "./snapshot.ts";
import type { StoreMeans } from "./store-means.ts";
import { verifyRepository } from "./verify.ts";
import { viewsOf } from "./views.ts";

type Reading =
  | "idsProject"
  | "inspect"
  | "snapshot"
  | "views"
  | "records"
  | "jobs"
  | "uses"
  | "sizeBytes"
  | "verify"
  | "dump";

const NOTHING_TO_DUMP: StoreDump = { views: [], files: async function* () {}, release: () => {} };

export function readingHalf({ reads, source, env, clock, repository: { key } }: StoreMeans): Pick<Store, Reading> {
  const reading = <T>(doing: string, nothing: T, read: () => Promise<T>): Promise<T> =>
    refusing(doing, reads.address, () => orNothing(reads, nothing, read));
  const theIndex = <T>(nothing: T, read: () => Promise<T>) => reading("reading the index", nothing, read);
  const known = async (): Promise<Repository | undefined> => {
    const repository = await findRepository(reads, key);
    if (repository !== undefined) requireSchema(repository);
    return repository;
  };
  let idsProject: ProjectId | undefined;
  return {
    idsProject: async () => {
      const sql = "SELECT ids_project FROM codecompass.repository WHERE key = $1";
      idsProject ??= await theIndex(undefined, async () => {
        const [row] = await reads.rows<{ ids_project: ProjectId }>(sql, [key]);
        return row?.ids_project;
      });
      return idsProject;
    },
    inspect: () => theIndex(report("not_indexed", 0), () => inspectRepository(reads, source, key)),
    snapshot: async (ref, limits, seen) => {
      limits?.signal?.throwIfAborted();
      return theIndex(undefined, async () => {
        const state = source.known(ref, seen) ?? (await source.state(ref, limits));
        if (state === undefined) return undefined;
        source.pins.pin(state);
        const onRelease = () => source.pins.unpin(state);
        return snapshotOf({ db: reads, source, state, monotonic: () => env.monotonic(), onRelease });
      });
    },
    views: () => theIndex([], () => viewsOf(reads, key, reads.address.shown)),
    records: (keys, limits) =>
      theIndex(new Map<VersionKeyText, FileRecord>(), async () => {
        limits?.signal?.throwIfAborted();
        const repository = await known();
        if (repository === undefined) return new Map();
        const ids = await versionIds(reads, placeOf(repository), keys);
        const found = keys.map(async (key: VersionKey): Promise<[VersionKeyText, FileRecord][]> => {
          const id = ids.get(versionKeyText(key));
          if (id === undefined) return [];
          const record = await source
            .readOf(repository.uid)
            .contents.record(repository.id, { ...key, id: id as FileId });
          return [[versionKeyText(key), record]];
        });
        return new Map((await Promise.all(found)).flat());
      }),
    jobs: (limit) =>
      reading("reading the jobs", [], async () => {
        const repository = await findRepository(reads, key);
        return repository === undefined ? [] : readJobs(reads, repository.id, limit, await clock(reads), env);
      }),
    uses: () => readUses(reads, key).catch(() => new Map()),
    sizeBytes: () => reading("measuring the index", 0, () => repositoryBytes(reads, key)),
    verify: async (level) => {
      try {
        return await orNothing(reads, [], () => verifyRepository(reads, key, level));
      } catch (error) {
        const refused = refusal("reading the index", reads.address, error);
        return [{ what: refused instanceof Error ? refused.message : String(refused), where: "database" }];
      }
    },
    dump: () => theIndex(NOTHING_TO_DUMP, () => dumpOf(reads, key)),
  };
}

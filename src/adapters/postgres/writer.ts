/** The content of one repository as it is written: one transaction per write, refused when the lease was lost. */
import { keyOf } from "../../engine/vectors.ts";
import { CompassError } from "../../model/errors.ts";
import type {
  Change,
  CollectRequest,
  MergedSegments,
  PublishedView,
  PutFiles,
  StampRow,
  WritableContent,
} from "../../ports/backend.ts";
import type { Lease } from "../../ports/store.ts";
import type { StoredFile } from "../../ports/versions.ts";
import { cutIntoParts } from "../../segment/format.ts";
import { openSegment } from "../../segment/read.ts";
import { addBlob, type Blobs, putBlobs } from "./blobs.ts";
import { collectGarbage, measureRepository, removeOrphans, removeParts } from "./collection.ts";
import { hexBytes, PostgresContent } from "./content.ts";
import { type Field, int2, int4, int8, text } from "./copy.ts";
import { nodeOf } from "./data-nodes.ts";
import type { Db } from "./db.ts";
import { type Clock, requireLease } from "./lease.ts";
import type { Transaction } from "./queryable.ts";
import type { EpochAddress } from "./repository.ts";
import { putFindable } from "./term-index.ts";

type ViewPack = Extract<Change, { pack: unknown }>["pack"];

export interface PostgresWriterOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly lease: Lease;
  readonly place: EpochAddress & { readonly uid: string };
  /** A replacement after damage does not believe what is stored. */
  readonly trust: "trust" | "distrust";
  /** Epochs that are read in this process. */
  readonly readEpochs: () => readonly number[];
  /** Runs a named I/O step between its failpoints. */
  readonly step: <T>(name: string, run: () => Promise<T>) => Promise<T>;
  readonly onSwap: (tx: Transaction) => Promise<void>;
  readonly onClose: () => Promise<void>;
}

export class PostgresWriter extends PostgresContent implements WritableContent {
  readonly #options: PostgresWriterOptions;
  #isCollected = false;

  constructor(options: PostgresWriterOptions) {
    super(options.db, options.place);
    this.#options = options;
  }

  write(name: string, changes: readonly Change[]): Promise<void> {
    return this.#writing(name, async (tx) => {
      for (const change of changes) await this.#apply(tx, change);
      if (name === "publish") await this.#options.step("commit", async () => {});
    });
  }

  async collect({ before, pinned }: CollectRequest): Promise<number> {
    this.#isCollected = true;
    const epochs = this.#options.readEpochs();
    return this.#writing("gc", (tx) => collectGarbage(tx, { place: this.place, before, pinned, epochs }));
  }

  swap(): Promise<void> {
    return this.#writing("swap", (tx) => this.#options.onSwap(tx));
  }

  override async close(): Promise<void> {
    const { db, onClose } = this.#options;
    if (this.#isCollected) await db.transaction((tx) => measureRepository(tx, this.place.repo));
    await onClose();
  }

  #writing<T>(name: string, write: (tx: Transaction) => Promise<T>): Promise<T> {
    const { db, lease, step } = this.#options;
    return step(name, () =>
      db.transaction(async (tx) => {
        await requireLease(tx, this.place.repo, lease);
        return write(tx);
      }),
    );
  }

  async #apply(tx: Transaction, change: Change): Promise<void> {
    const { place } = this;
    const { clock, trust } = this.#options;
    if ("put" in change) await putFiles(tx, place, change.put, { now: await clock(tx), trust });
    else if ("vectors" in change) {
      const blobs: Blobs = new Map();
      const { model, files } = change.vectors;
      const bound = files.map(({ file, vectors }) => ({ version: file as number, key: addBlob(blobs, vectors) }));
      await addBytes(tx, place.repo, await putBlobs(tx, place.repo, blobs, "trust"));
      await bindVectors(tx, place.repo, model, bound);
    } else if ("stamps" in change) await writeStamps(tx, place, change.stamps.tree, change.stamps.rows);
    else if ("publish" in change) await publish(tx, place, change.publish);
    else if ("pack" in change) await putPack(tx, place, change.pack);
    else if ("merge" in change) await mergeSegments(tx, place, change.merge);
    else if ("removeViews" in change) await removeViews(tx, place, change.removeViews);
  }
}

// Files.

interface PutOptions {
  readonly now: number;
  readonly trust: "trust" | "distrust";
}

async function putFiles(
  tx: Transaction,
  place: EpochAddress,
  put: PutFiles,
  { now, trust }: PutOptions,
): Promise<void> {
  const { files, isNew, segment, model } = put;
  const fresh = files.filter((_, at) => isNew[at]);
  const first = await reserveVersions(tx, place.repo, fresh.length);
  const ids = new Map(fresh.map((file, at) => [file, first + at]));
  const blobs: Blobs = new Map();
  const vectors: Field[][] = [];
  const rows = fresh.map((file) => {
    const id = int8(ids.get(file)!);
    const embedded = file.vectors === undefined || model === undefined ? null : text(keyOf(model));
    if (embedded !== null) vectors.push([int4(place.repo), id, embedded, addBlob(blobs, file.vectors!)]);
    return [int4(place.repo), id, int4(place.epoch), ...versionRow(file, blobs), int8(now), embedded];
  });
  const bytes = await putBlobs(tx, place.repo, blobs, trust);
  await tx.copy("codecompass.file_version", VERSION_COLUMNS, rows);
  await tx.copy("codecompass.vectors", "repo, version, model, key", vectors);
  const versions = Uint32Array.from(files, (file, at) => (isNew[at] ? ids.get(file)! : 0));
  await insertSegment(tx, place, versions, segment);
  await putFindable(tx, place.repo, versions, openSegment(segment));
  await addBytes(tx, place.repo, bytes + segment.length);
}

const VERSION_COLUMNS = `repo, id, epoch, path, hash, extractor, language, symbols, chunks, bytes, problem, git_blob,
  text_key, record_key, facts_key, created_at, embedded`;

function versionRow(file: StoredFile, blobs: Blobs): Field[] {
  const { symbolCount, chunkCount, byteCount, blob, facts } = file;
  return [
    ...[text(file.path), hexBytes(file.contentHash), text(file.extractor), text(file.language)],
    ...[int4(symbolCount), int4(chunkCount), int8(byteCount), text(file.problem)],
    blob === undefined ? null : hexBytes(blob),
    ...[addBlob(blobs, file.text), addBlob(blobs, file.record), facts.length === 0 ? null : addBlob(blobs, facts)],
  ];
}

async function reserveVersions(tx: Transaction, repo: number, count: number): Promise<number> {
  const sql =
    "UPDATE codecompass.repository SET last_version = last_version + $2 WHERE id = $1 RETURNING last_version AS last";
  const [row] = await tx.rows<{ last: number }>(sql, [repo, count], { prepared: "versions" });
  return row!.last - count + 1;
}

async function addBytes(tx: Transaction, repo: number, bytes: number): Promise<void> {
  const sql = "UPDATE codecompass.repository SET bytes = bytes + $2 WHERE id = $1";
  if (bytes > 0) await tx.run(sql, [repo, bytes], { prepared: "bytes" });
}

/** Binds versions to vectors that are stored as blobs. A version that is not stored any more gets none. */
async function bindVectors(
  tx: Transaction,
  repo: number,
  fingerprint: string,
  files: readonly { readonly version: number; readonly key: Buffer }[],
): Promise<void> {
  await tx.run(
    `WITH marked AS (UPDATE codecompass.file_version SET embedded = $2 WHERE repo = $1 AND id = ANY($3) RETURNING id)
      INSERT INTO codecompass.vectors (repo, version, model, key)
      SELECT $1, id, $2, key FROM unnest($3::bigint[], $4::bytea[]) AS n (id, key) JOIN marked USING (id)
      ON CONFLICT (repo, model, version) DO UPDATE SET key = excluded.key`,
    [repo, keyOf(fingerprint), files.map(({ version }) => version), files.map(({ key }) => key)],
  );
}

async function writeStamps(tx: Transaction, { repo, epoch }: EpochAddress, tree: string, rows: readonly StampRow[]) {
  await tx.run(
    `WITH revised AS (INSERT INTO codecompass.stamped_tree AS t (repo, epoch, tree, revision) VALUES ($1, $2, $3, 1)
        ON CONFLICT (repo, epoch, tree) DO UPDATE SET revision = t.revision + 1)
      INSERT INTO codecompass.stamp (repo, epoch, tree, path, stamp, version, skip)
      SELECT $1, $2, $3, n.* FROM jsonb_to_recordset($4) AS n (path text, stamp text, version bigint, skip text)
      ON CONFLICT (repo, epoch, tree, path) DO UPDATE
        SET stamp = excluded.stamp, version = excluded.version, skip = excluded.skip`,
    [repo, epoch, tree, JSON.stringify(rows)],
  );
}

// Segments.

async function insertSegment(
  tx: Transaction,
  { repo, epoch }: EpochAddress,
  versions: Uint32Array,
  bytes: Uint8Array,
): Promise<void> {
  const { chunkCount } = openSegment(bytes);
  const { head, parts } = cutIntoParts(bytes);
  const next =
    "UPDATE codecompass.repository SET last_segment = last_segment + 1 WHERE id = $1 RETURNING last_segment AS id";
  const [{ id }] = (await tx.rows<{ id: number }>(next, [repo])) as [{ id: number }];
  const words = new Uint8Array(versions.buffer, versions.byteOffset, versions.byteLength);
  const row = [int4(repo), int8(id), int4(epoch), int4(chunkCount), words, head];
  // A node commits before the store does: a crash in between leaves parts there, under a number that is given out again.
  if (nodeOf(repo) !== 0)
    await tx.run("DELETE FROM codecompass.segment_part WHERE repo = $1 AND segment >= $2", [repo, id]);
  await tx.copy("codecompass.segment", "repo, id, epoch, chunks, versions, head", [row]);
  await tx.copy(
    "codecompass.segment_part",
    "repo, segment, start, kind, bytes",
    parts.map((part) => [int4(repo), int8(id), int4(part.start), int2(part.kind), part.bytes]),
  );
}

async function mergeSegments(tx: Transaction, place: EpochAddress, { removed, added }: MergedSegments): Promise<void> {
  if (added !== undefined) await insertSegment(tx, place, added.versions, added.bytes);
  await tx.run("DELETE FROM codecompass.segment WHERE repo = $1 AND id = ANY($2)", [place.repo, removed]);
  await removeParts(tx, place.repo, removed);
}

// Views.

async function publish(tx: Transaction, place: EpochAddress, published: PublishedView): Promise<void> {
  const { row, before, closed, opened, job } = published;
  const { repo } = place;
  const { generation, publishedAt } = row;
  const sql = "SELECT 1 FROM codecompass.publication WHERE repo = $1 AND job = $2";
  // The connection may have been lost after the commit and before its answer.
  if ((await tx.rows(sql, [repo, job], { prepared: "published_already" })).length > 0) return;
  const id = row.id === 0 ? await createView(tx, place, published) : row.id;
  if (closed.length > 0)
    await tx.run(
      "UPDATE codecompass.view_entry SET closed = $4 WHERE repo = $1 AND view = $2 AND path = ANY($3) AND closed IS NULL",
      [repo, id, closed, generation],
    );
  await tx.copy(
    "codecompass.view_entry",
    "repo, view, path, opened, version, skip",
    opened.map(({ path, version, skip }) => [
      int4(repo),
      int4(id),
      text(path),
      int4(generation),
      version === null ? null : int8(version),
      text(skip),
    ]),
  );
  const changed = await tx.run(
    `UPDATE codecompass.view SET generation = $3, commit_id = $4, published_at = $5, totals = $6, digest = $8, digest_at = $3
      WHERE repo = $1 AND id = $2 AND generation = $7`,
    [repo, id, generation, row.commit, publishedAt, row.totals, before, row.digest],
    { prepared: "publish" },
  );
  if (changed === 0) throw new CompassError("index_in_progress");
  await tx.run(
    "INSERT INTO codecompass.publication (repo, job, view, generation, published_at) VALUES ($1, $2, $3, $4, $5)",
    [repo, job, id, generation, publishedAt],
    { prepared: "publication" },
  );
}

async function createView(
  tx: Transaction,
  { repo, epoch }: EpochAddress,
  { row, before }: PublishedView,
): Promise<number> {
  const sql = `INSERT INTO codecompass.view (repo, epoch, ref, base_view, base_generation, generation, published_at, totals)
    VALUES ($1, $2, $3, $4, $5, $6, 0, $7) RETURNING id`;
  const values = [repo, epoch, row.ref, row.baseView, row.baseGeneration, before, row.totals];
  const [created] = await tx.rows<{ id: number }>(sql, values, { prepared: "view_new" });
  return created!.id;
}

async function putPack(tx: Transaction, { repo }: EpochAddress, pack: ViewPack): Promise<void> {
  await tx.run(
    `INSERT INTO codecompass.view_pack (repo, view, generation, bytes) VALUES ($1, $2, $3, $4)
      ON CONFLICT (repo, view) DO UPDATE SET generation = excluded.generation, bytes = excluded.bytes`,
    [repo, pack.view, pack.generation, pack.bytes],
  );
}

async function removeViews(tx: Transaction, { repo }: EpochAddress, views: readonly number[]): Promise<void> {
  await tx.run("DELETE FROM codecompass.view WHERE repo = $1 AND id = ANY($2)", [repo, views]);
  await removeOrphans(tx, repo, "view");
}

/** Looks for damage: `rows` for lost rows, `quick` at what every answer rests on, `full` at every stored byte. */
import type { FileId } from "../model/ids.ts";
import type { Content, OpenedContent, VersionRow } from "../ports/backend.ts";
import type { Finding, VerifyLevel } from "../ports/store.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { decodeFacts } from "../segment/facts.ts";
import { decodeRecord, decodeText, decodeVectors } from "../segment/stored-content.ts";
import type { ContentReader } from "./content-reader.ts";
import { fetchParts } from "./segments.ts";
import { addsUp, loadPlain } from "./view-state.ts";

const VERSIONS_AT_ONCE = 128;

export interface VerifyOptions {
  readonly opened: OpenedContent;
  readonly reader: ContentReader;
  readonly level: VerifyLevel;
  readonly findingOf: (where: string, error: unknown) => Finding;
}

type RunCheck = (where: string, check: () => Promise<void> | void) => Promise<void>;

export async function verifyContent({ opened, reader, level, findingOf }: VerifyOptions): Promise<Finding[]> {
  const { content, views } = opened;
  const findings: Finding[] = [];
  const look: RunCheck = async (where, check) => {
    try {
      await check();
    } catch (error) {
      findings.push(findingOf(where, error));
    }
  };
  for (const row of views)
    await look(`view ${row.ref}`, async () => {
      const state = await reader.state(row);
      await requireRows(content, row);
      await reader.answer(state, [], undefined, () => {});
      if (level === "rows") return;
      const { segments } = await reader.open(state);
      for (const stored of segments) {
        await fetchParts(content, [stored], stored.kinds);
        stored.segment.check();
      }
    });
  await look("database", async () => void findings.push(...(await content.rows("findings", { level }))));
  if (level === "full") {
    await look("file versions", () => checkVersions(content, look));
    await look("vectors", () => checkVectors(content, look));
  }
  return findings;
}

/** The rows themselves add up, whatever a pack says; a view over another is always loaded from them. */
async function requireRows(content: Content, row: OpenedContent["views"][number]): Promise<void> {
  if (row.baseView !== null) return;
  const shown = await loadPlain(content, { view: row.id, generation: row.generation });
  if (!addsUp(shown, row)) throw new CorruptionError(`the rows of ref ${row.ref} do not add up to its digest`);
}

/** Some at a time: a whole index would not fit into memory. */
async function inBatches(
  ids: readonly number[],
  checkAll: (some: readonly number[]) => Promise<void>,
  checkOne: (id: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < ids.length; from += VERSIONS_AT_ONCE) {
    const some = ids.slice(from, from + VERSIONS_AT_ONCE);
    try {
      await checkAll(some);
    } catch {
      // One by one, to say which.
      for (const id of some) await checkOne(id);
    }
  }
}

async function checkVersions(content: Content, look: RunCheck): Promise<void> {
  const ids = (await content.rows("versionIds", {})).map(({ id }) => id);
  const check = async (some: readonly number[]) => {
    const rows = await content.rows("versions", { ids: some });
    if (rows.length < some.length) throw new CorruptionError(`file version ${some[0]} is missing`);
    await checkContents(content, rows);
  };
  await inBatches(ids, check, (id) => look(`file version ${id}`, () => check([id])));
}

async function checkContents(content: Content, rows: readonly VersionRow[]): Promise<void> {
  const versions = rows.map(({ id, hash }) => ({ id: id as FileId, contentHash: hash }));
  const read = async (kind: "record" | "text" | "facts") => {
    const blobs = await content.blobs({ kind, versions, form: "readable" });
    return new Map(blobs.map(({ owner, bytes }) => [owner, bytes]));
  };
  const [records, texts, facts] = [await read("record"), await read("text"), await read("facts")];
  for (const { id, path } of rows) {
    const [record, text] = [records.get(id), texts.get(id)];
    if (record === undefined || text === undefined) throw new CorruptionError(`the content of ${path} is missing`);
    decodeText(text);
    if (decodeRecord(record).path !== path) throw new CorruptionError(`the record of ${path} belongs to another file`);
    const factBytes = facts.get(id);
    if (factBytes !== undefined) decodeFacts(factBytes);
  }
}

async function checkVectors(content: Content, look: RunCheck): Promise<void> {
  for (const { model } of await content.rows("models", {})) {
    const ids = (await content.rows("versionIds", { model })).map(({ id }) => id);
    const check = async (versions: readonly number[]) => {
      const found = await content.blobs({ kind: "vectors", model, versions });
      if (found.length < versions.length) throw new CorruptionError("vectors are missing");
      for (const { bytes } of found) decodeVectors(bytes);
    };
    await inBatches(ids, check, (id) => look(`vectors of file version ${id}`, () => check([id])));
  }
}

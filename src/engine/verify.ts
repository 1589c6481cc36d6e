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

export interface VerifyOptions {
  readonly opened: OpenedContent;
  readonly reader: ContentReader;
  readonly level: VerifyLevel;
  readonly findingOf: (where: string, error: unknown) => Finding;
}

type Look = (where: string, check: () => Promise<void> | void) => Promise<void>;

export async function verifyContent({ opened, reader, level, findingOf }: VerifyOptions): Promise<Finding[]> {
  const { content, views } = opened;
  const findings: Finding[] = [];
  const look: Look = async (where, check) => {
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

async function checkVersions(content: Content, look: Look): Promise<void> {
  // One at a time: a whole index would not fit into memory.
  for (const { id } of await content.rows("versionIds", {}))
    await look(`file version ${id}`, async () => {
      const [row] = await content.rows("versions", { ids: [id] });
      if (row === undefined) throw new CorruptionError(`file version ${id} is missing`);
      await checkVersion(content, row);
    });
}

async function checkVersion(content: Content, { id, path, hash }: VersionRow): Promise<void> {
  const versions = [{ id: id as FileId, contentHash: hash }];
  const [record] = await content.blobs({ kind: "record", versions, form: "readable" });
  const [text] = await content.blobs({ kind: "text", versions, form: "readable" });
  const [facts] = await content.blobs({ kind: "facts", versions, form: "readable" });
  if (record === undefined || text === undefined) throw new CorruptionError(`the content of ${path} is missing`);
  decodeText(text.bytes);
  if (decodeRecord(record.bytes).path !== path)
    throw new CorruptionError(`the record of ${path} belongs to another file`);
  if (facts !== undefined) decodeFacts(facts.bytes);
}

async function checkVectors(content: Content, look: Look): Promise<void> {
  for (const { model } of await content.rows("models", {}))
    for (const { id } of await content.rows("versionIds", { model }))
      await look(`vectors of file version ${id}`, async () => {
        const found = await content.blobs({ kind: "vectors", model, versions: [id] });
        for (const { bytes } of found) decodeVectors(bytes);
      });
}

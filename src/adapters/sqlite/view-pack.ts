/**
 * A view's entries at one generation as one blob beside its rows: a new process loads that and the few rows that were
 * opened or closed since. It is made from the rows and never needed: one that is missing, damaged or too old is ignored.
 */
import type { SkipReason } from "../../model/code.ts";
import type { ContentHash, FileId } from "../../model/ids.ts";
import { packColumns, unpackColumns } from "./column-blobs.ts";
import type { Connection } from "./connection.ts";
import type { Base, IndexedFile } from "./rows.ts";

export interface PackedView extends Base {
  readonly generation: number;
}

/** Views with fewer entries are as quickly read from their rows. */
export const WORTH_PACKING = 512;

interface Meta {
  readonly digest: string;
  readonly languages: readonly string[];
  readonly problems: readonly (readonly [file: number, problem: string])[];
  readonly skips: readonly (readonly [path: string, reason: SkipReason])[];
}

/** Inside a write transaction. */
export function writePack(db: Connection, view: number, { generation, ...base }: PackedView): void {
  const sql = "INSERT OR REPLACE INTO view_pack (view, generation, bytes) VALUES (?, ?, ?)";
  db.run(sql, view, generation, encode(base));
}

/** The view's pack if it is of this generation or of an earlier one. */
export function readPack(db: Connection, view: number, generation: number): PackedView | undefined {
  const sql = "SELECT generation, bytes FROM view_pack WHERE view = ? AND generation <= ?";
  const row = db.get<{ generation: number; bytes: Uint8Array }>(sql, view, generation);
  if (row === undefined) return undefined;
  try {
    return { generation: row.generation, ...decode(row.bytes) };
  } catch {
    return undefined;
  }
}

export function packedGeneration(db: Connection, view: number): number | undefined {
  return db.get<{ generation: number }>("SELECT generation FROM view_pack WHERE view = ?", view)?.generation;
}

function encode({ files: byPath, skips, digest }: Base): Uint8Array {
  const files = [...byPath.values()];
  const languages = [...new Set(files.map((file) => file.language))];
  const places = new Map(languages.map((language, at) => [language, at]));
  const problems = files.flatMap(({ problem }, at) => (problem === undefined ? [] : [[at, problem] as const]));
  const column = (of: (file: IndexedFile) => number) => Uint32Array.from(files, of);
  const meta: Meta = { digest, languages, problems, skips: [...skips] };
  return packColumns({
    meta,
    texts: [files.map((file) => file.path), files.map((file) => file.contentHash)],
    words: [
      column((file) => file.id),
      column((file) => places.get(file.language)!),
      column((file) => file.symbols),
      column((file) => file.chunks),
    ],
  });
}

function decode(bytes: Uint8Array): Base {
  const { meta, texts, words } = unpackColumns(bytes);
  const { digest, languages, problems, skips } = meta as Meta;
  const [paths, hashes] = texts as [string[], string[]];
  const [ids, places, symbols, chunks] = words as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  const problemOf = new Map(problems);
  const files = new Map<string, IndexedFile>();
  for (let at = 0; at < ids.length; at++) {
    const file = {
      id: ids[at]! as FileId,
      path: paths[at]!,
      language: languages[places[at]!]!,
      contentHash: hashes[at]! as ContentHash,
      symbols: symbols[at]!,
      chunks: chunks[at]!,
    };
    const problem = problemOf.get(at);
    files.set(file.path, problem === undefined ? file : { ...file, problem });
  }
  return { files, skips: new Map(skips), digest };
}

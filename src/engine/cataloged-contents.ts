/** Texts and records of files in many repositories. A part of the store that does not answer fails its own files only. */
import type { FileRecord } from "../model/code.ts";
import type { CatalogedContent, CatalogedFile } from "../ports/catalog.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { decodeRecord, decodeText, encodeText } from "../segment/stored-content.ts";
import type { CandidateFile } from "./default-views.ts";
import { PartUnavailable } from "./outages.ts";

/** Bytes by the place of the file in the list. */
type ReadBlobs = (kind: "text" | "record", files: readonly CandidateFile[]) => Promise<ReadonlyMap<number, Uint8Array>>;

export interface CatalogBlobs {
  /** The part of the store that holds the content of the repository. */
  readonly partOf: (repo: number) => number;
  /** Of files in one part. */
  readonly read: ReadBlobs;
}

/** In the order asked; undefined, or an empty packed text, where the part that holds it does not answer. */
export async function readContents<K extends keyof CatalogedContent>(
  kind: K,
  files: readonly CandidateFile[],
  { partOf, read }: CatalogBlobs,
): Promise<(CatalogedContent[K] | undefined)[]> {
  const decode: (bytes: Uint8Array) => Uint8Array | string | FileRecord =
    kind === "packed" ? (bytes) => bytes : kind === "text" ? decodeText : decodeRecord;
  const without = kind === "packed" ? encodeText("") : undefined;
  const found = new Map<CandidateFile, Uint8Array | string | FileRecord | undefined>();
  const reads = [...Map.groupBy(files, ({ repo }) => partOf(repo)).values()].map(async (own) => {
    try {
      const bytes = await read(kind === "record" ? "record" : "text", own);
      for (const [at, file] of own.entries()) found.set(file, decode(bytes.get(at) ?? missingContent(file)));
    } catch (error) {
      if (!(error instanceof PartUnavailable)) throw error;
      for (const file of own) found.set(file, without);
    }
  });
  await Promise.all(reads);
  return files.map((file) => found.get(file) as CatalogedContent[K] | undefined);
}

function missingContent({ path, repository }: CatalogedFile): never {
  throw new CorruptionError(`${path} of ${repository} is missing`);
}

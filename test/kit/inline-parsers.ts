/** Runs the work of the parse workers in the test's own thread. */
import { diskFiles } from "../../src/adapters/disk/files.ts";
import { openBuiltIn } from "../../src/adapters/embedders/built-in.ts";
import { blobId, createHash } from "../../src/adapters/hash/hashes.ts";
import { TreeSitterGrammars } from "../../src/adapters/treesitter/grammars.ts";
import { grammarSources } from "../../src/adapters/treesitter/locate.ts";
import { fetchBatch, readBatch } from "../../src/ingest/read-batch.ts";
import { READABLE } from "../../src/languages/index.ts";
import type { DocumentEncoder } from "../../src/ports/embedder.ts";
import type { Files } from "../../src/ports/files.ts";
import type { Parsers } from "../../src/ports/parsers.ts";
import { versionKeyText } from "../../src/ports/versions.ts";

export async function inlineParsers(
  files: Files = diskFiles(),
  encoder: DocumentEncoder = openBuiltIn(),
): Promise<Parsers> {
  const ports = {
    files,
    grammars: new TreeSitterGrammars(grammarSources(READABLE)),
    hash: await createHash(),
    blobId,
    encoder,
  };
  return {
    capacity: () => 2,
    warm: () => {},
    read: async (request) => {
      const batch = await fetchBatch(request, ports);
      const known = await request.known(batch.fetched.map(({ key }) => key));
      return readBatch(request, batch, (key) => known.has(versionKeyText(key)), ports);
    },
    close: async () => {},
  };
}

/** Runs the work of the parse workers in the test's own thread. */
import { diskFiles } from "../../src/adapters/disk/files.ts";
import { openBuiltIn } from "../../src/adapters/embedders/built-in.ts";
import { blobId, createHash } from "../../src/adapters/hash/hashes.ts";
import { TreeSitterGrammars } from "../../src/adapters/treesitter/grammars.ts";
import { grammarSources } from "../../src/adapters/treesitter/locate.ts";
import { keepLexersAtBaseline } from "../../src/compose/v8-flags.ts";
import { fetchBatch, readBatch } from "../../src/ingest/read-batch.ts";
import { READABLE } from "../../src/languages/index.ts";
import type { DocumentEncoder } from "../../src/ports/embedder.ts";
import type { Files } from "../../src/ports/files.ts";
import type { Grammars } from "../../src/ports/grammars.ts";
import type { Parsers } from "../../src/ports/parsers.ts";
import { versionKeyText } from "../../src/ports/versions.ts";

/** Loading a grammar takes up to a second; it is done once for all tests that run in this process. */
const grammars = new TreeSitterGrammars(grammarSources(READABLE));

/** As in a parse worker: optimising the lexers takes longer than all that the tests parse. */
let ready: Promise<void> | undefined;

/** Shared by all tests of this process. */
export async function sharedGrammars(): Promise<Grammars> {
  ready ??= createHash().then((hash) => keepLexersAtBaseline(grammars, hash));
  await ready;
  return grammars;
}

export async function inlineParsers(
  files: Files = diskFiles(),
  encoder: DocumentEncoder = openBuiltIn(),
): Promise<Parsers> {
  const ports = {
    files,
    grammars: await sharedGrammars(),
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

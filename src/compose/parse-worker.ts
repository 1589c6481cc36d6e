/** A parse worker's thread: fetches the files of each request when it comes, and parses one request after the other. */
import { diskFiles } from "../adapters/disk/files.ts";
import { blobId, createHash } from "../adapters/hash/hashes.ts";
import { TreeSitterGrammars } from "../adapters/treesitter/grammars.ts";
import { grammarSources } from "../adapters/treesitter/locate.ts";
import { type BatchRequest, fetchBatch, type ReadPorts, readBatch } from "../ingest/read-batch.ts";
import { READABLE } from "../languages/index.ts";
import type { ReadResults } from "../ports/parsers.ts";
import { versionKeyText } from "../ports/versions.ts";
import { builtInEncoder } from "./embedders.ts";
import { failpointOf } from "./failpoints.ts";
import { type ParseApi, ParsePosition, type ParserClient, type ParserData } from "./parse-position.ts";
import { keepLexersAtBaseline } from "./v8-flags.ts";
import { Transfer } from "./worker-protocol.ts";
import { type ServerCall, serveParent } from "./worker-server.ts";

// The first buffer that leaves a thread costs it all optimised code that touches typed arrays: some 90 functions here,
// compiled again right after the first answer. So one leaves before there is any such code.
new ArrayBuffer(1).transfer();
const grammars = new TreeSitterGrammars(grammarSources(READABLE));
const ready = createHash().then(async (hash) => {
  await keepLexersAtBaseline(grammars, hash);
  return hash;
});
const failpoint = failpointOf(process.env.CODECOMPASS_FAILPOINT);
const PAUSE_MS = 1_000;

serveParent<ParserData, ParseApi, ParserClient>((data) => {
  const position = new ParsePosition(data.position);
  let last: Promise<unknown> = Promise.resolve();
  const read = (call: ServerCall<ParserClient>, id: number, request: BatchRequest) => {
    const fetched = fetchRequest(call, request, (task) => {
      position.set(id, task);
      injectFault(data, request, task);
    });
    // An error is reported when the turn of the request comes.
    fetched.catch(() => {});
    const parsed = last.then(async () => {
      const { batch, known, ports } = await fetched;
      position.set(id, -1);
      failpoint("parse:before");
      const results = await readBatch(request, batch, (key) => known.has(versionKeyText(key)), ports);
      failpoint("parse:after");
      position.set(0, -1);
      return withOwnBuffers(results);
    });
    last = parsed;
    return parsed;
  };
  return { handlers: { read } };
});

async function fetchRequest(call: ServerCall<ParserClient>, request: BatchRequest, at: (task: number) => void) {
  const hash = await ready;
  // A request for symbols alone need not wait for the model to be opened.
  const encoder = request.purpose === undefined ? builtInEncoder(request.settings.embedding) : undefined;
  const ports: ReadPorts = { files: diskFiles(), grammars, hash, blobId, at, ...(encoder && { encoder }) };
  failpoint("fetch:before");
  const batch = await fetchBatch(request, ports);
  failpoint("fetch:after");
  const keys = request.unseen ? [] : batch.fetched.map(({ key }) => key);
  const known = keys.length === 0 ? new Set<string>() : await call.request("known", keys);
  return { batch, known, ports };
}

function injectFault(faults: ParserData, { tasks }: BatchRequest, task: number): void {
  const { path, mode } = tasks[task]!;
  if (mode !== undefined) return;
  if (path === faults.failAt) process.exit(1);
  while (path === faults.hangAt);
  if (path === faults.pauseAt) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

/** A view into a larger buffer would take the whole buffer with it; such views are copied out first. */
function withOwnBuffers(results: ReadResults): Transfer<ReadResults> {
  const buffers: ArrayBuffer[] = [];
  const own = (bytes: Uint8Array) => {
    const view = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
    buffers.push(view.buffer as ArrayBuffer);
    return view;
  };
  const batches = results.batches.map(({ files, segment, ...rest }) => ({
    ...rest,
    files: files.map((file) => ({
      ...file,
      record: own(file.record),
      text: own(file.text),
      facts: own(file.facts),
      ...(file.vectors && { vectors: own(file.vectors) }),
    })),
    segment: own(segment),
  }));
  return new Transfer({ ...results, batches }, buffers);
}

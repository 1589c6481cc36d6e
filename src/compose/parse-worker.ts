/** A parse worker's thread: fetches the files of each request when it comes, reads them in turn. */
import { parentPort, workerData } from "node:worker_threads";
import { diskFiles } from "../adapters/disk/files.ts";
import { blobId, createHash } from "../adapters/hash/hashes.ts";
import { TreeSitterGrammars } from "../adapters/treesitter/grammars.ts";
import { grammarSources } from "../adapters/treesitter/locate.ts";
import { type BatchRequest, fetchBatch, type ReadPorts, readBatch } from "../ingest/read-batch.ts";
import { READABLE } from "../languages/index.ts";
import type { ReadResults } from "../ports/parsers.ts";
import { type VersionKey, versionKeyText } from "../ports/versions.ts";
import { keepLexersAtBaseline } from "./baseline-wasm.ts";
import { encoderFor } from "./encoder.ts";
import { failpointOf } from "./failpoints.ts";
import { type FromParser, type ParserData, type ToParser, Whereabouts } from "./parse-protocol.ts";

const port = parentPort!;
// The first buffer that leaves a thread costs it all optimised code that touches typed arrays: some 90 functions here,
// compiled anew right after the first answer. So one leaves before there is any such code.
new ArrayBuffer(1).transfer();
const data = workerData as ParserData;
const whereabouts = new Whereabouts(data.whereabouts);
const grammars = new TreeSitterGrammars(grammarSources(READABLE));
const ready = createHash().then(async (hash) => {
  await keepLexersAtBaseline(grammars, hash);
  return hash;
});
const failpoint = failpointOf(process.env.CODECOMPASS_FAILPOINT);
const PAUSE_MS = 1_000;
const asked = new Map<number, (known: ReadonlySet<string>) => void>();
let turn: Promise<void> = Promise.resolve();

port.on("message", (message: ToParser) => {
  if (message.type === "known") asked.get(message.id)?.(message.keys);
  else serve(message.id, message.request);
});

function serve(id: number, request: BatchRequest): void {
  const prepared = prepare(id, request);
  // Reported when its turn comes.
  prepared.catch(() => {});
  turn = turn.then(async () => {
    const { batch, known, ports } = await prepared;
    whereabouts.set(id, -1);
    failpoint("parse:before");
    const results = await readBatch(request, batch, (key) => known.has(versionKeyText(key)), ports);
    failpoint("parse:after");
    whereabouts.set(0, -1);
    tell({ type: "done", id, results: alone(results) }, results);
  });
}

async function prepare(id: number, request: BatchRequest) {
  const at = (task: number) => {
    whereabouts.set(id, task);
    const { path, mode } = request.tasks[task]!;
    if (mode !== undefined) return;
    if (path === data.failAt) process.exit(1);
    while (path === data.hangAt);
    if (path === data.pauseAt) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  };
  const ports: ReadPorts = {
    files: diskFiles(),
    grammars,
    hash: await ready,
    blobId,
    at,
    // Who only looks at symbols need not wait for a model to be opened.
    ...(request.purpose === undefined && encoderFor(request.settings.embedding)),
  };
  failpoint("fetch:before");
  const batch = await fetchBatch(request, ports);
  failpoint("fetch:after");
  const keys = request.unseen ? [] : batch.fetched.map(({ key }) => key);
  const known = await ask(id, keys);
  return { batch, known, ports };
}

function ask(id: number, keys: readonly VersionKey[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return Promise.resolve(new Set());
  return new Promise((answer) => {
    asked.set(id, (known) => {
      asked.delete(id);
      answer(known);
    });
    tell({ type: "ask", id, keys });
  });
}

function tell(message: FromParser, results?: ReadResults): void {
  port.postMessage(message, results ? buffersOf(message) : []);
}

/** A view into a larger buffer would take the whole buffer with it; such views are copied out first. */
function alone(results: ReadResults): ReadResults {
  const own = (bytes: Uint8Array) => (bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice());
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
  return { ...results, batches };
}

function buffersOf(message: FromParser): ArrayBuffer[] {
  if (message.type !== "done") return [];
  const views = message.results.batches.flatMap(({ files, segment }) => [
    segment,
    ...files.flatMap((file) => [file.record, file.text, file.facts, ...(file.vectors ? [file.vectors] : [])]),
  ]);
  return views.map((view) => view.buffer as ArrayBuffer);
}

/** A thread that looks for patterns. It has no store: it asks for the texts it does not know. */
import { parentPort, workerData } from "node:worker_threads";
import { TextScanner } from "../adapters/scan/scanner.ts";
import type { ScanRequest } from "../ports/scanner.ts";
import { fromWire, toWire } from "./job-protocol.ts";
import type { FromScan, LoadedTexts, ToScan } from "./scan-protocol.ts";

/** Long enough to work, short enough to hear that nobody wants the answer any more. */
const SLICE_MS = 30;

interface Awaited {
  readonly resolve: (texts: LoadedTexts) => void;
  readonly reject: (error: unknown) => void;
}

const port = parentPort!;
const { cacheChars } = workerData as { readonly cacheChars: number };
const scanner = new TextScanner({ cacheChars, sliceMs: SLICE_MS, learns: true });
const running = new Map<number, AbortController>();
const awaited = new Map<string, Awaited>();
let lastBatch = 0;

port.on("message", (message: ToScan) => {
  if (message.type === "scan") void serve(message.id, message.request);
  else if (message.type === "cancel") cancel(message.id);
  else settle(message);
});

async function serve(id: number, request: ScanRequest): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    tell({ type: "done", id, reply: await scanner.scan(request, (texts) => need(id, texts), controller.signal) });
  } catch (error) {
    tell({ type: "failed", id, error: toWire(error) });
  } finally {
    running.delete(id);
  }
}

/** Also a search that waits for texts ends. */
function cancel(id: number): void {
  const controller = running.get(id);
  controller?.abort();
  for (const [key, { reject }] of awaited) {
    if (!key.startsWith(`${id}:`)) continue;
    awaited.delete(key);
    reject(controller?.signal.reason);
  }
}

function need(id: number, texts: readonly number[]): Promise<LoadedTexts> {
  const batch = ++lastBatch;
  return new Promise((resolve, reject) => {
    awaited.set(`${id}:${batch}`, { resolve, reject });
    tell({ type: "need", id, batch, texts });
  });
}

function settle(message: Exclude<ToScan, { type: "scan" | "cancel" }>): void {
  const key = `${message.id}:${message.batch}`;
  const waiting = awaited.get(key);
  awaited.delete(key);
  if (message.type === "texts") waiting?.resolve(message.texts);
  else waiting?.reject(fromWire(message.error));
}

function tell(message: FromScan): void {
  port.postMessage(message);
}

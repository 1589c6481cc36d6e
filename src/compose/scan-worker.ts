/** A thread that looks for patterns. It has no store: it requests the texts it does not have. */
import { TextScanner } from "../adapters/scan/scanner.ts";
import type { LoadedText, ScanReply, ScanRequest } from "../ports/scanner.ts";
import { serveParent } from "./worker-server.ts";

export interface ScanApi {
  scan(request: ScanRequest): ScanReply;
}

/** What the scanner requests from its caller. */
export interface ScanClient {
  load(texts: readonly number[]): readonly LoadedText[];
}

export interface ScanData {
  readonly cacheChars: number;
}

/** Long enough to work, short enough to notice a cancellation. */
const SLICE_MS = 30;

serveParent<ScanData, ScanApi, ScanClient>(({ cacheChars }) => {
  const scanner = new TextScanner({ cacheChars, sliceMs: SLICE_MS, learns: true });
  return {
    handlers: {
      scan: (call, request) => scanner.scan(request, (texts) => call.request("load", texts), call.signal),
    },
  };
});

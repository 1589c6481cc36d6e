/** What the caller's thread and a scan thread say to each other. Texts are asked for and sent as they are stored. */
import type { LoadedText, ScanReply, ScanRequest } from "../ports/scanner.ts";
import type { WireError } from "./job-protocol.ts";

export type ToScan =
  | { readonly type: "scan"; readonly id: number; readonly request: ScanRequest }
  | { readonly type: "texts"; readonly id: number; readonly batch: number; readonly texts: LoadedTexts }
  | { readonly type: "unreadable"; readonly id: number; readonly batch: number; readonly error: WireError }
  | { readonly type: "cancel"; readonly id: number };

export type LoadedTexts = readonly LoadedText[];

export type FromScan =
  | { readonly type: "need"; readonly id: number; readonly batch: number; readonly texts: readonly number[] }
  | { readonly type: "done"; readonly id: number; readonly reply: ScanReply }
  | { readonly type: "failed"; readonly id: number; readonly error: WireError };

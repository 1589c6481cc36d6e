/** The kinds of evidence for a file, one number each, 0..1. */
import type { FileRow } from "../../ports/snapshot.ts";

/** How much of the text and of the definitions it names a file has. */
export const CONTENT_SIGNALS = [
  "title_text",
  "title_text_sum",
  "text",
  "text_sum",
  "code_text",
  "code_text_sum",
  "definitions",
  "qualified_definitions",
] as const;
export const SIGNALS = [
  ...CONTENT_SIGNALS,
  "module",
  "quoted_path",
  "stack_frame",
  "title_in_path",
  "path_in_title",
  "path_in_text",
  "similarity",
  "imported_by_likely",
  "imports_likely",
  "tested_by_likely",
  "test",
  "doc",
  "example",
  "data",
  "entry",
  "generated",
  "size",
  "depth",
] as const;
export type Signal = (typeof SIGNALS)[number];
export type SignalValues = Record<Signal, number>;

/** A file that an issue may be about. */
export interface IssueFile {
  readonly file: FileRow;
  readonly signals: SignalValues;
  /** By chunk: how much of the evidence is in it. */
  readonly chunks: Map<number, number>;
}

/** A tool's answer or refusal as text: what was found, and how far it can be trusted. */
import { ERRORS } from "../../model/errors.ts";
import type { Fields, NextAction, ToolDefinition } from "../define.ts";
import { shortCursor } from "../wire/cursor.ts";
import { asList, fieldLines } from "./layouts.ts";
import { type AnswerView, counted, MODEL_VIEW, printable, skippedText } from "./style.ts";

interface Metadata {
  readonly freshness_status?: string;
  readonly result_completeness?: string;
  readonly ref?: string;
  readonly warnings?: readonly string[];
  readonly omitted?: { readonly count: number; readonly suggestion: string };
  readonly coverage?: Coverage;
  readonly literal_match?: string;
  readonly did_you_mean?: readonly string[];
  readonly total_results?: number;
  readonly workspaces?: Fields;
}

interface Coverage {
  readonly files_indexed?: number;
  readonly files_skipped?: number;
  readonly skipped_reasons?: Readonly<Record<string, number>>;
  readonly without_symbols?: readonly LanguageGap[];
  readonly without_references?: readonly LanguageGap[];
}

interface LanguageGap {
  readonly language: string;
  readonly files: number;
}

/** For a model: the lines, then one line of status where all is well. */
export function answerText(tool: ToolDefinition, body: Fields, maxTokens?: number): string {
  const lines = [...answerLines(tool, body, { ...MODEL_VIEW, maxTokens }), ...noteLines(body), statusLine(body)];
  return `${lines.join("\n")}\n`;
}

export function answerLines(tool: ToolDefinition, body: Fields, view: AnswerView): readonly string[] {
  return (tool.text ?? fieldLines)(body, view);
}

/** What qualifies an answer, in sentences; nothing where all is well. */
export function noteLines(body: Fields): string[] {
  const meta = metadataOf(body);
  return [
    ...emptyNote(body, meta),
    ...gapNotes(meta.coverage),
    ...(meta.warnings ?? []).map((text) => `warning: ${printable(text)}`),
    ...workspaceNotes(meta.workspaces),
    ...omittedNote(body, meta),
    ...nextNote(body),
    ...pageNote(body),
  ];
}

/** How to get the next page, unless the note above leads there. */
function pageNote(body: Fields): string[] {
  const { next_cursor: cursor, total_results: total } = (body.pagination ?? {}) as Fields;
  if (typeof cursor !== "string" || nextNote(body).length > 0) return [];
  return [`${total} results in all. For the next page, repeat the call with cursor ${shortCursor(cursor)}`];
}

function omittedNote(body: Fields, { omitted }: Metadata): string[] {
  if (omitted === undefined) return [];
  const { count, suggestion } = omitted;
  return [`${count} ${foundNothing(body) ? "found, but none fits the limit" : "more not shown"}. ${suggestion}`];
}

function metadataOf(body: Fields): Metadata {
  return (body.metadata ?? {}) as Metadata;
}

/** Where these are empty, nothing was found. */
const LISTS = ["results", "symbols", "references", "related", "context_items", "edges"] as const;

export function foundNothing(body: Fields): boolean {
  if (asList(body.candidates).length > 0 || asList(body.text_matches).length > 0) return false;
  return LISTS.map((list) => body[list]).some((list) => Array.isArray(list) && list.length === 0);
}

/** An empty answer names what the query may have meant, or reports how much was searched. */
function emptyNote(body: Fields, meta: Metadata): string[] {
  if (!foundNothing(body)) return absenceNotes(meta);
  // An answer that counts what it checked has said it.
  if (meta.omitted !== undefined || body.checked !== undefined) return [];
  if (typeof body.file_path === "string") return [`No symbols in ${printable(body.file_path)}.`];
  const { ref, coverage, literal_match: literal, did_you_mean: similar = [] } = meta;
  const at = ref === undefined ? "" : ` at ${ref}`;
  if (similar.length > 0) return [`No such name${at}. ${suggestion(similar)}`];
  if (coverage?.files_indexed === undefined) return ["Nothing found."];
  const {
    files_indexed: filesIndexed,
    files_skipped: filesSkipped = 0,
    skipped_reasons: skippedReasons = {},
  } = coverage;
  const skipped = skippedText({ filesIndexed, filesSkipped, skippedReasons });
  const why = literal === "absent" ? ": the query does not occur as a whole word" : "";
  return [`Nothing found in ${counted(filesIndexed, "file")}${at}${why}. ${skipped}`.trimEnd()];
}

function absenceNotes({ literal_match: literal, did_you_mean: similar = [] }: Metadata): string[] {
  const notes = [
    ...(literal === "absent" ? ["The query does not occur as a whole word in the indexed files."] : []),
    ...(similar.length > 0 ? [suggestion(similar)] : []),
  ];
  return notes.length === 0 ? [] : [notes.join(" ")];
}

function suggestion(similar: readonly string[]): string {
  return `Did you mean ${printable(similar.join(", "))}?`;
}

function gapNotes(coverage: Coverage = {}): string[] {
  const named = (gaps: readonly LanguageGap[]) =>
    gaps.map(({ language, files }) => `${counted(files, "file")} of ${language}`).join(", ");
  const { without_symbols: symbols = [], without_references: references = [] } = coverage;
  return [
    ...(symbols.length > 0 ? [`Symbols are not known in ${named(symbols)}; their text was searched.`] : []),
    ...(references.length > 0 ? [`References are not known in ${named(references)}; search their text instead.`] : []),
  ];
}

function workspaceNotes(workspaces: Fields | undefined): string[] {
  if (workspaces === undefined) return [];
  const missing = (["late", "failed", "not_indexed"] as const).flatMap((key) => {
    const names = (workspaces[key] ?? []) as readonly (string | Fields)[];
    const many = names.map((one) => (typeof one === "string" ? one : String(one.workspace)));
    return many.length === 0 ? [] : [`${key.replace("_", " ")}: ${printable(many.join(", "))}`];
  });
  return [`${workspaces.searched} of ${workspaces.selected} workspaces searched`, ...missing];
}

/** The call that leads on, where the answer was cut or is empty. */
function nextNote(body: Fields): string[] {
  const [next] = (body.suggested_next_actions ?? []) as readonly NextAction[];
  if (next === undefined || (metadataOf(body).result_completeness === "complete" && !foundNothing(body))) return [];
  const { tool, ...input } = next;
  return [`next: ${tool} ${JSON.stringify(input)}`];
}

function statusLine(body: Fields): string {
  const meta = metadataOf(body);
  const { freshness_status: freshness, result_completeness: completeness, ref } = meta;
  const cut = meta.result_completeness === "truncated" ? countShown(body, meta) : "";
  const sync = freshness === "stale" ? " (sync_repo updates the index)" : "";
  return `[${ref}: ${freshness}${sync}, ${completeness}${cut}]`;
}

/** Lists of answers, and the fields that count them before they were cut. */
const COUNTED = [
  ["results", "total_results"],
  ["references", "total_references"],
  ["edges", "total_edges"],
  ["affected", "total_affected"],
  ["related", "total_found"],
  ["changes", "total_changes"],
] as const;

function countShown(body: Fields, meta: Metadata): string {
  for (const [list, total] of COUNTED) {
    const all = body[total] ?? (total === "total_results" ? meta.total_results : undefined);
    if (!Array.isArray(body[list]) || all === undefined) continue;
    const shown = [body, ...asList(body.candidates)].reduce((sum, one) => sum + asList(one[list]).length, 0);
    return `: ${shown} of ${all}`;
  }
  return "";
}

interface Refusal {
  readonly code: keyof typeof ERRORS;
  readonly message: string;
  readonly data: Fields;
}

/** `error CODE: message`, and what to do on the next line. */
export function errorText(body: Fields): string {
  const { code, message, data } = body.error as Refusal;
  // An error has an example where the parameter is missing.
  const missing = data.example !== undefined && data.parameter !== undefined ? `${data.parameter} is missing. ` : "";
  const reason = message.replace(/^Invalid input: /, missing);
  const lines = [`error ${code}: ${reason}`, ...indexNote(body), ...remedyLines(data)];
  return `${lines.map(printable).join("\n")}\n`;
}

/** A name may be missing only because the index is not there yet. */
function indexNote(body: Fields): string[] {
  const { indexing_status: status, schema_status: schema } = metadataOf(body) as Fields;
  if (status !== "indexing" || schema !== "not_indexed") return [];
  return ["The first index is still being built: ask again when index_status says ready."];
}

/** Candidates to copy into the next call, similar names, and the remedy. */
export function remedyLines(data: Fields): string[] {
  const candidates = asList(data.candidates).flatMap(({ path, line_start, kind, qualified_name }) =>
    typeof path === "string" ? [`  ${path}:${line_start}  ${kind} ${qualified_name}`] : [],
  );
  const similar = (data.did_you_mean ?? []) as readonly string[];
  const next =
    data.suggestion ?? (data.remediation === ERRORS.invalid_input.remediation ? undefined : data.remediation);
  const warnings = (data.warnings ?? []) as readonly string[];
  return [
    ...candidates,
    ...warnings,
    ...(similar.length > 0 ? [suggestion(similar)] : []),
    ...(typeof next === "string" ? [next] : []),
    ...(data.example === undefined ? [] : [`Example: ${JSON.stringify(data.example)}`]),
  ];
}

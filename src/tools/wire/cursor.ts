/**
 * Paging of the S5 family: `page_size`, `cursor`, `pagination`. A cursor is base64 JSON with the offset, the page
 * size, a hash of the query and the index generation. A cursor of another query is refused.
 */
import { z } from "zod";
import type { MultiRepoReading, Reading } from "../../compass/compass.ts";
import { CompassError } from "../../model/errors.ts";
import type { GrepPosition } from "../../model/multi-repository.ts";
import type { Fields } from "../define.ts";

export const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;

/** Clamped rather than refused: see `openPage`. */
export const pageSizeField = () => z.int().optional().describe(`Results per page. Default: ${DEFAULT_PAGE_SIZE}.`);

export const cursorField = () => z.string().optional().describe("next_cursor of the previous page.");

export const paginationSchema = () =>
  z.object({
    has_next: z.boolean(),
    next_cursor: z.string().nullable(),
    page_size: z.int(),
    total_results: z.int(),
  });

export interface PageRequest {
  readonly cursor?: string | undefined;
  readonly pageSize?: number | undefined;
  /** Everything that decides which results there are and in what order: tool, query, scope, threshold, ref … */
  readonly question: readonly unknown[];
  readonly generation: number;
}

export interface ResultPage {
  readonly offset: number;
  readonly size: number;
  readonly warnings: readonly string[];
  /** `pagination` of the answer when `shown` results of `total` are on this page. */
  pagination(shown: number, total: number): Fields;
  /** The same field, absent on an empty page and on the last one. */
  paginationIfMore(shown: number, total: number): Fields;
}

export interface MultiRepoPage {
  readonly size: number;
  readonly from?: GrepPosition;
  /** Results before this page. */
  readonly before: number;
  readonly warnings: readonly string[];
  /** `behind`: where the next page begins; absent: there is none. */
  pagination(total: number, shown: number, behind: GrepPosition | undefined): Fields;
}

/** Whether the answer covers several workspaces. */
export function isMultiRepo(reading: Reading): reading is MultiRepoReading {
  return "grepMany" in reading;
}

/** A page of matches in several workspaces. It continues at a position, so earlier pages are not scanned again. */
export function openMultiRepoPage({ cursor, pageSize, question }: Omit<PageRequest, "generation">): MultiRepoPage {
  const key = fingerprint(question);
  const at = cursor === undefined ? { offset: 0 } : readCursor(cursor);
  if (at.key !== undefined && at.key !== key) throw invalidCursor("the cursor belongs to another question");
  if (at.offset > 0 && at.from === undefined)
    throw invalidCursor("a list of several workspaces continues only with its next_cursor");
  const requested = pageSize ?? at.size ?? DEFAULT_PAGE_SIZE;
  const size = Math.min(MAX_PAGE_SIZE, Math.max(1, requested));
  return {
    size,
    before: at.offset,
    ...(at.from !== undefined && { from: at.from }),
    warnings: size === requested ? [] : [`page_size ${requested} was clamped to ${size}.`],
    pagination: (total, shown, from) => ({
      has_next: from !== undefined,
      next_cursor: from === undefined ? null : writeCursor({ offset: at.offset + shown, size, key, from }),
      page_size: size,
      total_results: total,
    }),
  };
}

/** Start and length of the requested page. Refuses an invalid cursor and one of another query. */
export function openPage({ cursor, pageSize, question, generation }: PageRequest): ResultPage {
  const key = fingerprint(question);
  const from = cursor === undefined ? { offset: 0 } : readCursor(cursor);
  if (from.key !== undefined && from.key !== key) throw invalidCursor("the cursor belongs to another question");
  const requested = pageSize ?? from.size ?? DEFAULT_PAGE_SIZE;
  const size = Math.min(MAX_PAGE_SIZE, Math.max(1, requested));
  const pagination = (shown: number, total: number) => {
    const offset = from.offset + shown;
    const hasNext = offset < total;
    const next = hasNext ? writeCursor({ offset, size, key, generation }) : null;
    return { has_next: hasNext, next_cursor: next, page_size: size, total_results: total };
  };
  return {
    offset: from.offset,
    size,
    warnings: [
      ...(size === requested ? [] : [`page_size ${requested} was clamped to ${size}.`]),
      ...(from.generation === undefined || from.generation === generation
        ? []
        : ["The index has changed since the first page: results may repeat or be missing between pages."]),
    ],
    pagination,
    paginationIfMore: (shown, total) =>
      shown > 0 && from.offset + shown < total ? { pagination: pagination(shown, total) } : {},
  };
}

interface CursorPosition {
  readonly offset: number;
  /** Where the page begins, in a list of several workspaces. */
  readonly from?: GrepPosition;
  readonly size?: number;
  readonly key?: string;
  readonly generation?: number;
}

function writeCursor(position: CursorPosition): string {
  return btoa(JSON.stringify(position));
}

const positionSchema = () =>
  z.object({
    offset: z.int().min(0),
    from: z.object({ workspace: z.string(), path: z.string().optional(), skip: z.int().min(0) }).optional(),
    size: z.int().min(1).max(MAX_PAGE_SIZE).optional(),
    key: z.string().optional(),
    generation: z.number().optional(),
  });

function readCursor(cursor: string): CursorPosition {
  try {
    const text = cursor.trim();
    const json = text.startsWith("{") ? text : atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return positionSchema().parse(JSON.parse(json)) as CursorPosition;
  } catch {
    throw invalidCursor("the cursor is not one that a search returned");
  }
}

/** The same position in few tokens, where the offset is all of it; it goes with the parameters of the first call. */
export function shortCursor(cursor: string): string {
  const { offset, from } = readCursor(cursor);
  return from === undefined ? JSON.stringify({ offset }) : cursor;
}

function invalidCursor(reason: string): CompassError {
  return new CompassError("invalid_input", { parameter: "cursor", reason });
}

/** A 53-bit hash: enough to distinguish queries; it need not resist forgery. */
function fingerprint(question: readonly unknown[]): string {
  const text = JSON.stringify(question);
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (2097152 * (b >>> 0) + (a >>> 11)).toString(36);
}

/** A longer query is not repeated in suggested calls. */
const MAX_REPEATED = 200;

/** The input that a call for the next page repeats. */
export function repeatedInput(query: Readonly<Record<string, string>>, path: string | undefined): Fields {
  const isShort = Object.values(query).every((text) => text.length <= MAX_REPEATED);
  return { ...(isShort && query), ...(path !== undefined && { path }) };
}

/** `chunk_type` of a result: the kind of its enclosing definition. */
export function chunkType(kind: string | undefined): string {
  if (kind === undefined) return "text";
  return kind === "fn" ? "function" : kind;
}

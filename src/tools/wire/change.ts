/** What changed, as S4 spells it. */
import { z } from "zod";
import type { Project } from "../../compass/compass.ts";
import type { FileChange, SymbolChange } from "../../model/changes.ts";
import { CompassError } from "../../model/errors.ts";
import { isInside, lexical } from "../../model/paths.ts";
import type { SymbolHit } from "../../model/search.ts";
import type { Fields } from "../define.ts";

const changeType = () => z.enum(["added", "modified", "deleted"]);

const side = () =>
  z
    .object({
      symbol_id: z.string(),
      symbol_stable_id: z.string().optional(),
      kind: z.string(),
      qualified_name: z.string(),
      signature: z.string().optional(),
      path: z.string(),
      line_start: z.int(),
      line_end: z.int(),
    })
    .nullable();

export const changeSchema = () =>
  z.object({
    symbol: z.string(),
    change_type: changeType(),
    renamed_from: z.string().optional(),
    before: side(),
    after: side(),
    path: z.string(),
    lines: z.object({ start: z.int(), end: z.int() }),
    code: z.string().optional(),
  });

export const fileChangeSchema = () =>
  z.object({
    path: z.string(),
    change_type: changeType(),
    renamed_from: z.string().optional(),
    not_parsed: z.string().optional(),
  });

/** `before` and `after` are null where S4 shows null. */
export function changeFields(change: SymbolChange): Fields {
  const shown = (change.after ?? change.before)!;
  return {
    symbol: shown.symbol.name,
    change_type: change.change,
    ...(change.renamedFrom !== undefined && { renamed_from: change.renamedFrom }),
    before: change.before === undefined ? null : sideFields(change.before),
    after: change.after === undefined ? null : sideFields(change.after),
    path: shown.path,
    lines: { start: shown.symbol.span.lineStart, end: shown.symbol.span.lineEnd },
  };
}

function sideFields({ symbol, symbolId, symbolStableId, path }: SymbolHit): Fields {
  return {
    symbol_id: symbolId,
    symbol_stable_id: symbolStableId,
    kind: symbol.kind,
    qualified_name: symbol.qualifiedName,
    ...(symbol.signature !== undefined && { signature: symbol.signature }),
    path,
    line_start: symbol.span.lineStart,
    line_end: symbol.span.lineEnd,
  };
}

export function fileChangeFields({ path, change, renamedFrom, skipped }: FileChange): Fields {
  return {
    path,
    change_type: change,
    ...(renamedFrom !== undefined && { renamed_from: renamedFrom }),
    ...(skipped !== undefined && { not_parsed: skipped }),
  };
}

const LONGEST_SHOWN = 200;

/** Relative to the root, without `.`, `..` and a last slash; "" is the whole tree. What leads out of it is refused. */
export function treePath(parameter: string, path: string, { root }: Pick<Project, "root">): string {
  const spelt = path.replaceAll("\\", "/");
  const whole = lexical(isAbsolute(spelt) ? spelt : `${root}/${spelt}`);
  if (isInside(whole, root)) return whole.slice(lexical(root).length).replace(/^\//, "");
  const reason = `${path.slice(0, LONGEST_SHOWN)} lies outside the workspace`;
  throw new CompassError("invalid_input", { parameter, reason });
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(path);
}

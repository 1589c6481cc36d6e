/** What an imported compiler index says of a file, bound inside a view. */
import { type CompilerEdges, type CompilerUse, compilerPath } from "../../model/compiler-edges.ts";
import { EDGE_KINDS, type Edge, type SymbolLocation } from "../../model/edges.ts";
import type { FileRow, Snapshot } from "../../ports/snapshot.ts";

export interface CompiledFile {
  /** What the name at a place means; empty: nothing of this view. Undefined: the compiler does not say. */
  meantAt(line: number, column: number): readonly SymbolLocation[] | undefined;
  /** Uses that the file's facts do not have. */
  readonly extra: readonly Edge[];
}

export interface CompiledFiles {
  /** Whether anything was imported that is about a file of the view. */
  readonly paths: ReadonlySet<string>;
  /** Undefined: there are no compiler edges for the file as it is. */
  open(path: string): Promise<CompiledFile | undefined>;
}

const NONE: CompiledFiles = { paths: new Set(), open: async () => undefined };

export async function compiledIn(at: Snapshot, rows: ReadonlyMap<string, FileRow>): Promise<CompiledFiles> {
  const all = await at.compiled();
  if (all.size === 0) return NONE;
  const files = new Map<string, FileRow>();
  for (const { path, contentHash } of rows.values()) {
    const file = all.get(compilerPath(path, contentHash));
    if (file !== undefined) files.set(path, file);
  }
  const extractor = await at.extractor();
  return {
    paths: new Set(files.keys()),
    open: async (path) => {
      const file = files.get(path);
      const edges = file && (JSON.parse(await at.text(file)) as CompilerEdges);
      // Another release numbers the symbols of a file otherwise.
      return edges?.extractor === extractor ? bindEdges(path, edges!, rows) : undefined;
    },
  };
}

function bindEdges(path: string, { targets, uses }: CompilerEdges, rows: ReadonlyMap<string, FileRow>): CompiledFile {
  // What a target's file is now may have other symbols: then our own reading answers.
  const symbols = targets.map(([target, content, index]): SymbolLocation | undefined =>
    rows.get(target)?.contentHash === content ? { path: target, index } : undefined,
  );
  const places = new Map<string, SymbolLocation[]>();
  const unknown = new Set<string>();
  const extra: Edge[] = [];
  for (const use of uses) {
    const [line, column, target, more] = use;
    const place = `${line}:${column}`;
    const to = symbols[target];
    if (target >= 0 && to === undefined) unknown.add(place);
    else places.set(place, [...(places.get(place) ?? []), ...(to ? [to] : [])]);
    if (more !== undefined && to !== undefined) extra.push(edgeOf(path, use, targets[target]![3], to));
  }
  return {
    meantAt: (line, column) => {
      const place = `${line}:${column}`;
      return unknown.has(place) ? undefined : places.get(place);
    },
    extra,
  };
}

function edgeOf(path: string, [line, column, , extra]: CompilerUse, name: string, to: SymbolLocation): Edge {
  const from = extra!.from < 0 ? {} : { from: extra!.from };
  return {
    kind: EDGE_KINDS[extra!.isCall ? CALLS : REFERENCES]!,
    resolution: "compiler",
    name,
    path,
    line,
    column,
    ...from,
    to,
  };
}

const [CALLS, REFERENCES] = [EDGE_KINDS.indexOf("calls"), EDGE_KINDS.indexOf("references")];

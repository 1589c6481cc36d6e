/** Edges between the symbols of the fixed data: each uses the next one in the list. */
import { CompassError } from "../../src/model/errors.ts";
import type { CallEdge, HierarchyNode, SymbolSelector } from "../../src/model/navigation.ts";
import type { SymbolHit } from "../../src/model/search.ts";
import type { Navigation } from "../../src/navigate/navigation.ts";

export function fakeNavigation(symbols: readonly SymbolHit[], times = 1): Navigation {
  const find = ({ name, symbolId }: SymbolSelector): SymbolHit => {
    if (name === "twice") throw new CompassError("ambiguous_symbol", { name, candidate_count: 2, candidates: [] });
    if (name === "nowhere") throw new CompassError("no_edges_available", { ref: "main" });
    const found = symbols.find((one) => one.symbolId === symbolId || one.symbol.name === name);
    if (found === undefined) throw new CompassError("symbol_not_found", { name, ref: "main" });
    return found;
  };
  const but = (hit: SymbolHit) =>
    symbols.filter((one) => one !== hit).flatMap((one) => Array<SymbolHit>(times).fill(one));
  return {
    hierarchy: async ({ direction, ...ask }) => {
      const hit = find(ask);
      const around = symbols.find((one) => one.symbol.kind === hit.parent?.kind && one.symbol.name === hit.parent.name);
      if (direction === "ancestors") {
        const chain = around === undefined ? [hit] : [hit, around];
        return {
          nodes: chain.map((one, depth) => leaf(one, depth)),
          count: chain.length,
          others: 0,
          ...NO_INHERITANCE,
        };
      }
      const children = symbols.filter((one) => one.parent?.name === hit.symbol.name).map((one) => leaf(one, 1));
      return { nodes: [{ hit, depth: 0, children }], count: 1 + children.length, others: 1, ...NO_INHERITANCE };
    },
    definitions: async ({ name }) => symbols.filter((one) => one.symbol.name === name),
    neighbours: async ({ limit, scope, ...ask }) => {
      const anchor = find(ask);
      const related = but(anchor)
        .filter(({ path }) => scope !== "file" || path === anchor.path)
        .map((hit) => ({ hit, relation: hit.path === anchor.path ? ("same_file" as const) : ("imported" as const) }));
      return { anchor, related: related.slice(0, limit), total: related.length, others: 0 };
    },
    callGraph: async ({ limit, depth, ...ask }) => {
      const root = find(ask);
      const edges = but(root).map((from, i): CallEdge => {
        const place = { name: root.symbol.name, path: from.path, line: from.symbol.span.lineStart, sites: 1 + (i % 2) };
        const sure = { to: root, resolution: "import" as const };
        return { from, ...place, ...(i === 5 ? { resolution: "name_only" } : sure), depth: Math.min(depth, 1) };
      });
      return {
        root,
        edges: edges.slice(0, limit),
        total: edges.length,
        nameOnly: 1,
        possible: 0,
        connected: 0,
        unexpanded: 0,
        gaps: NO_GAPS,
      };
    },
    impact: async ({ symbol, changed, limit }) => {
      const root = symbol && find(symbol);
      const all = but(root ?? symbols[0]!).map((hit) => ({
        hit,
        of: root?.symbol.qualifiedName ?? changed[0]?.qualifiedName ?? "",
        kind: "calls" as const,
        resolution: "receiver" as const,
        path: hit.path,
        line: hit.symbol.span.lineStart,
        context: "let claims = validate_token(token, key)?;",
        distance: 1,
        implements: false,
      }));
      const named = root && [
        {
          symbolId: root.symbolId,
          name: root.symbol.name,
          qualifiedName: root.symbol.qualifiedName,
          path: root.path,
          signature: true,
        },
      ];
      const tests = [{ path: "tests/auth_test.rs", reason: "uses" as const, uses: ["validate_token"] }];
      const weighed = (named ?? changed).map((it) => ({ ...it, centrality: 0.5 }));
      return {
        changed: weighed,
        affected: all.slice(0, limit),
        total: all.length,
        possible: 0,
        tests,
        cut: false,
        gaps: NO_GAPS,
      };
    },
    scip: async () => ({ bytes: new Uint8Array(), files: 0, documents: 0, occurrences: 0 }),
    unused: async ({ includeUnknown, offset, limit }) => {
      const all = symbols.map((hit, i) => ({ hit, ...(i % 2 === 1 && { reason: "exported" as const }) }));
      const listed = includeUnknown ? all : all.filter(({ reason }) => reason === undefined);
      const unknown = symbols.length >> 1;
      const found = { unused: symbols.length - unknown, unknown };
      return {
        symbols: listed.slice(offset, offset + limit),
        total: listed.length,
        counts: { checked: 40, used: 30, possiblyUsed: 2, ...found, entryPoints: 1 },
        byReason: { exported: unknown },
        withoutReferences: [],
      };
    },
  };
}

const NO_GAPS = { withoutReferences: [], limits: [], isPartial: false };
const NO_INHERITANCE = { inheritance: [], cut: false };

function leaf(hit: SymbolHit, depth: number): HierarchyNode {
  return { hit, depth, children: [] };
}

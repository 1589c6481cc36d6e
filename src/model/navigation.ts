/** Questions about how symbols stand to each other, and their answers, as values. */

import type { ChangedSymbol, LikelyTest } from "./affected-code.ts";
import type { EdgeKind, Resolution } from "./edges.ts";
import type { SymbolSelector } from "./references.ts";
import type { SymbolHit } from "./search.ts";

export const HIERARCHY_DIRECTIONS = ["ancestors", "descendants"] as const;
export type HierarchyDirection = (typeof HIERARCHY_DIRECTIONS)[number];

export interface HierarchyRequest extends SymbolSelector {
  readonly direction: HierarchyDirection;
}

export interface HierarchyNode {
  readonly hit: SymbolHit;
  readonly depth: number;
  readonly children: readonly HierarchyNode[];
}

export interface HierarchyAnswer {
  /** Ancestors: leaf first. Descendants: one root. */
  readonly nodes: readonly HierarchyNode[];
  readonly count: number;
  /** Symbols of the same name in the same file that were not meant. */
  readonly others: number;
}

export const RELATED_SCOPES = ["file", "module", "package"] as const;
export type RelatedScope = (typeof RELATED_SCOPES)[number];
/** Nearest first, which is the order of an answer. */
export const RELATIONS = ["same_file", "same_module", "same_package", "imported"] as const;
export type Relation = (typeof RELATIONS)[number];

export interface RelatedRequest extends SymbolSelector {
  readonly scope: RelatedScope;
  readonly limit: number;
}

export interface RelatedSymbol {
  readonly hit: SymbolHit;
  readonly relation: Relation;
}

export interface RelatedAnswer {
  readonly anchor: SymbolHit;
  readonly related: readonly RelatedSymbol[];
  /** Before the limit. */
  readonly total: number;
  readonly others: number;
}

export const CALL_DIRECTIONS = ["callers", "callees", "both"] as const;
export type CallDirection = (typeof CALL_DIRECTIONS)[number];

export interface CallGraphRequest extends SymbolSelector {
  readonly direction: CallDirection;
  /** Steps away from the symbol, 1 to 5. */
  readonly depth: number;
  /** Edges at most. */
  readonly limit: number;
}

/** A call from one symbol to another; several sites of the same two are one edge, at the first of them. */
export interface CallEdge {
  readonly from: SymbolHit;
  /** Absent where only the name is known. */
  readonly to?: SymbolHit;
  readonly name: string;
  readonly path: string;
  readonly line: number;
  readonly sites: number;
  readonly resolution: Resolution;
  /** Steps from the symbol that was asked about to the far end. */
  readonly depth: number;
}

export interface CallGraphAnswer {
  readonly root: SymbolHit;
  /** Sure ones by depth, then those that only share a name. */
  readonly edges: readonly CallEdge[];
  /** Edges that were found, before the limit. */
  readonly total: number;
  readonly nameOnly: number;
  /** Symbols whose own calls were not followed because the graph grew too large. */
  readonly unexpanded: number;
}

/** A change: one symbol that is named, or what a comparison found. */
export interface ImpactRequest {
  readonly symbol?: SymbolSelector;
  readonly changed: readonly ChangedSymbol[];
  /** Files that changed, for tests that are named after them. */
  readonly paths: readonly string[];
  readonly depth: number;
  readonly limit: number;
}

/** A symbol that a change can break. */
export interface AffectedSymbol {
  readonly hit: SymbolHit;
  /** Qualified name of what it uses: what changed, or what stands between. */
  readonly of: string;
  readonly kind: EdgeKind;
  readonly resolution: Resolution;
  readonly path: string;
  readonly line: number;
  readonly context: string;
  /** 1: uses what changed itself. */
  readonly distance: number;
  /** It implements, extends or overrides what changed. */
  readonly implements: boolean;
}

export interface ImpactAnswer {
  /** `centrality`: how much of the project leans on it, from 0 to 1. */
  readonly changed: readonly (ChangedSymbol & { readonly centrality: number })[];
  /** Implementers and sure users first, nearest first, what others lean on first; then those that share a name. */
  readonly affected: readonly AffectedSymbol[];
  readonly total: number;
  readonly tests: readonly LikelyTest[];
  /** More was there to look at. */
  readonly cut: boolean;
}

/** Requests about how symbols relate (references, hierarchy, call graph, impact of a change) and their answers. */
import type { ConnectionKind, KeyMatch } from "./connections.ts";
import type { ConnectionEdge, Edge, EdgeKind, Resolution } from "./edges.ts";
import type { LanguageFiles, SymbolHit, TextMatch } from "./search.ts";

/** Selects a symbol: an id wins over the name, `path` narrows. */
export interface SymbolSelector {
  readonly name: string;
  readonly symbolId?: string;
  readonly path?: string;
  /** The innermost symbol around this line of `path`, whatever its name. */
  readonly line?: number;
}

export interface ReferencesRequest extends SymbolSelector {
  /** Only edges or connections of this kind. */
  readonly kind?: EdgeKind | ConnectionKind;
  /** Edges to pass over. */
  readonly offset?: number;
  readonly limit: number;
}

export interface ReferenceHit {
  readonly edge: Edge | ConnectionEdge;
  /** The site's source line, trimmed. */
  readonly context: string;
  /** The symbol around the site, or the file as a module. */
  readonly from: SymbolHit;
  /** What serves the key of a connection. */
  readonly handler?: SymbolHit;
}

export interface ReferencesAnswer {
  readonly symbol: SymbolHit;
  /** Sure ones first; at most `limit`. */
  readonly references: readonly ReferenceHit[];
  /** Before the limit, of the requested kind. */
  readonly total: number;
  /** How many of the total only share the name. */
  readonly nameOnly: number;
  /** How many of the total an imported compiler index says. */
  readonly byCompiler: number;
  /** How many of the total mean a base or an override of the symbol. */
  readonly possible: number;
  /** How many of the total name the same key as a definition that the symbol serves; none of them is certain. */
  readonly connected: number;
  readonly byKind: Readonly<Partial<Record<EdgeKind | ConnectionKind, number>>>;
  /** Languages of the view in which no uses are known. */
  readonly withoutReferences: readonly LanguageFiles[];
  /** Why sites may be missing; empty where every one was looked at. */
  readonly limits: readonly string[];
  /** Present if the symbol's own language is one of them. */
  readonly textMatches?: readonly TextMatch[];
}

export const HIERARCHY_DIRECTIONS = ["ancestors", "descendants"] as const;
type HierarchyDirection = (typeof HIERARCHY_DIRECTIONS)[number];

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
  /** Other symbols of the same name in the same file. */
  readonly others: number;
  /**
   * Ancestors: types that a type extends or implements, members that a member overrides or implements. Descendants: types
   * and members that do so with it.
   */
  readonly inheritance: readonly SymbolHit[];
  /** There are more of them than were searched. */
  readonly cut: boolean;
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
  readonly resolution: Resolution | KeyMatch;
  /** The key of a connection, and its kind. */
  readonly connection?: { readonly kind: ConnectionKind; readonly key: string };
  /** The call names a base; at run time it may reach this override of it. */
  readonly possible?: true;
  /** A connection is on the way from the root to it. */
  readonly beyond?: true;
  /** Steps from the root to the far end. */
  readonly depth: number;
}

/** What an answer about uses could not look at. */
export interface ReferenceGaps {
  /** Languages of the view in which no uses are known. */
  readonly withoutReferences: readonly LanguageFiles[];
  /** Why edges may be missing; empty where everything was looked at. */
  readonly limits: readonly string[];
  /** The symbol's own language has no references, or one of the limits applies. */
  readonly isPartial: boolean;
}

export interface CallGraphAnswer {
  readonly root: SymbolHit;
  /** Sure ones by depth, then those that only share a name. */
  readonly edges: readonly CallEdge[];
  /** Edges that were found, before the limit. */
  readonly total: number;
  readonly nameOnly: number;
  /** Calls that may reach an override at run time. */
  readonly possible: number;
  /** Edges between places that name the same key, and what is reached only through these. */
  readonly connected: number;
  /** Symbols whose own calls were not followed because the graph grew too large. */
  readonly unexpanded: number;
  readonly gaps: ReferenceGaps;
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
  /** Qualified name of what it uses: what changed, or a symbol in between. */
  readonly of: string;
  readonly kind: EdgeKind | ConnectionKind;
  readonly resolution: Resolution | KeyMatch;
  readonly path: string;
  readonly line: number;
  readonly context: string;
  /** 1: uses what changed itself. */
  readonly distance: number;
  /** It implements, extends or overrides what changed. */
  readonly implements: boolean;
  /** The use means a base or an override of it: at run time it may reach what changed. */
  readonly possible?: true;
  /** A connection is on the way from what changed to it. */
  readonly beyond?: true;
}

export interface ImpactAnswer {
  /** `centrality`: how much of the project leans on it, from 0 to 1. */
  readonly changed: readonly (ChangedSymbol & { readonly centrality: number })[];
  /** Implementers and sure users first, nearest first, what others lean on first; then those that share a name. */
  readonly affected: readonly AffectedSymbol[];
  readonly total: number;
  /** How many of the total may only be reached through a base or an override. */
  readonly possible: number;
  readonly tests: readonly LikelyTest[];
  /** The search stopped at its limit. */
  readonly cut: boolean;
  readonly gaps: ReferenceGaps;
}

/** Files of a view, by path. */
export interface ScipRequest {
  readonly offset: number;
  readonly limit: number;
}

/** SCIP documents of some files. */
export interface ScipPage {
  readonly bytes: Uint8Array;
  /** Files that were covered; 0: the view has no more. */
  readonly files: number;
  readonly documents: number;
  readonly occurrences: number;
}

export interface UnusedRequest {
  /** Only symbols of this file or folder. */
  readonly under?: string;
  readonly languages?: readonly string[];
  /** Also list symbols of which it is not known. */
  readonly includeUnknown: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Why it is not known whether a symbol without uses is unused. */
export const UNKNOWN_REASONS = ["exported", "entry_file", "whole_module", "decorated", "inherited", "in_text"] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

export interface UnusedSymbol {
  readonly hit: SymbolHit;
  /** Absent: it is unused. */
  readonly reason?: UnknownReason;
}

export interface UnusedAnswer {
  /** Unused ones first; in the order of paths and lines. */
  readonly symbols: readonly UnusedSymbol[];
  /** Before the limit. */
  readonly total: number;
  readonly counts: {
    readonly checked: number;
    readonly used: number;
    readonly possiblyUsed: number;
    readonly unused: number;
    readonly unknown: number;
    readonly entryPoints: number;
  };
  readonly byReason: Readonly<Partial<Record<UnknownReason, number>>>;
  readonly withoutReferences: readonly LanguageFiles[];
}

/** A symbol that changed, as the view after the change knows it. */
export interface ChangedSymbol {
  /** Absent if it was deleted: then only its name can be searched. */
  readonly symbolId?: string;
  readonly name: string;
  readonly qualifiedName: string;
  readonly path: string;
  /** Whether its users may have to change with it. */
  readonly signature: boolean;
}

export interface AffectedCodeRequest extends Pick<ImpactRequest, "changed" | "paths"> {
  readonly callersOfEach: number;
  readonly tests: number;
}

export interface CallSite {
  /** Qualified name of what changed. */
  readonly of: string;
  readonly path: string;
  readonly line: number;
  /** The source line, trimmed. */
  readonly context: string;
  /** Qualified name of the symbol around the site. */
  readonly from?: string;
  readonly resolution: Resolution;
}

export interface LikelyTest {
  readonly path: string;
  readonly reason: "changed" | "uses" | "named_alike" | "reaches" | "imports" | "name_only";
  /** What changed and is used or reached there. */
  readonly uses: readonly string[];
  /** Steps through the call graph from what changed, where it is reached. */
  readonly distance?: number;
}

export interface AffectedCode {
  readonly callers: readonly CallSite[];
  /** Of each changed symbol, before the limit. */
  readonly totalCallers: number;
  readonly tests: readonly LikelyTest[];
}

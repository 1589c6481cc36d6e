/** The question about who uses a symbol, and its answer, as values. */
import type { Edge, EdgeKind } from "./edges.ts";
import type { SymbolHit } from "./search.ts";

/** Which symbol is meant: an id wins over the name, `path` narrows. */
export interface SymbolSelector {
  readonly name: string;
  readonly symbolId?: string;
  readonly path?: string;
}

export interface ReferencesRequest extends SymbolSelector {
  /** Only edges of this kind. */
  readonly kind?: EdgeKind;
  readonly limit: number;
}

export interface ReferenceHit {
  readonly edge: Edge;
  /** The site's source line, trimmed. */
  readonly context: string;
  /** The symbol around the site, or the file as a module. */
  readonly from: SymbolHit;
}

export interface ReferencesAnswer {
  readonly symbol: SymbolHit;
  /** Sure ones first; at most `limit`. */
  readonly references: readonly ReferenceHit[];
  /** Before the limit, those of the kind that was asked for. */
  readonly total: number;
  /** How many of the total only share the name. */
  readonly nameOnly: number;
  readonly byKind: Readonly<Partial<Record<EdgeKind, number>>>;
}

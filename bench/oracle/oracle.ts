/** What a compiler says about who uses a symbol. */
export const REF_KINDS = ["import", "call", "member call", "reference", "member", "key", "heritage"] as const;
export type RefKind = (typeof REF_KINDS)[number];

export interface Truth {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** 0-based, UTF-16 units. */
  readonly column: number;
  readonly kind: RefKind;
  /** A definition of the symbol itself: counted neither way. */
  readonly definition: boolean;
}

export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface Target {
  readonly path: string;
  readonly offset: number;
}

export interface Oracle {
  /** Undefined when it does not know the symbol. */
  references(path: string, offset: number): Promise<readonly Truth[] | undefined>;
  /** Whether going to the definition from a site leads to the symbol: a second opinion on sites that are not listed. */
  leadsTo?(site: Place, symbol: Target): boolean | Promise<boolean>;
  /** Whether it read a file at all; sites and symbols of others are left out of the comparison. */
  reads?(path: string): boolean;
  /** Whether it read this very place; sites elsewhere are left out of the comparison. */
  judges?(site: Place): boolean | Promise<boolean>;
  /** What the reader of the table should know: what was left out. */
  readonly note?: string;
  close(): void;
}

/** What a compiler reports about the uses of a symbol. */
export const REF_KINDS = ["import", "call", "member call", "reference", "member", "key", "heritage"] as const;
export type RefKind = (typeof REF_KINDS)[number];

export interface Truth {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** 0-based, UTF-16 units. */
  readonly column: number;
  readonly kind: RefKind;
  /** A definition of the symbol itself: not counted. */
  readonly definition: boolean;
  /** It means a base or an override of the symbol: a certain site there is wrong, and it is counted apart. */
  readonly related?: boolean;
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
  /** Undefined if it does not know the symbol. */
  references(path: string, offset: number): Promise<readonly Truth[] | undefined>;
  /** Whether "go to definition" leads from a site to the symbol: a second opinion on sites that are not listed. */
  leadsTo?(site: Place, symbol: Target): boolean | Promise<boolean>;
  /** Whether it read the file at all; sites and symbols of other files are not compared. */
  reads?(path: string): boolean;
  /** Whether it read this location; other sites are not compared. */
  judges?(site: Place): boolean | Promise<boolean>;
  /** A note for the table: what was left out. */
  readonly note?: string;
  close(): void;
}

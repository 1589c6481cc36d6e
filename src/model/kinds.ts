/** The words for what a symbol is, in the spelling of the wire, and the aliases that filters accept. */

export const KINDS = [
  "fn",
  "method",
  "constructor",
  "struct",
  "class",
  "enum",
  "variant",
  "trait",
  "interface",
  "protocol",
  "impl",
  "union",
  "object",
  "record",
  "const",
  "var",
  "type",
  "module",
  "namespace",
  "package",
  "use",
  "field",
  "property",
  "macro",
  "extension",
  "instance",
  "heading",
  "test",
  "table",
  "resource",
  "target",
  "key",
  "selector",
  "component",
] as const;
export type Kind = (typeof KINDS)[number];

/** Kinds whose symbols are types. */
export const TYPE_KINDS: ReadonlySet<string> = new Set(
  "class struct interface trait enum protocol object record union type".split(" "),
);

/** Keys of data and selectors of style sheets: a name that code has, too, means the code. */
export const DATA_KINDS: ReadonlySet<Kind> = new Set(["key", "selector"]);

const ALIASES = new Map<string, readonly Kind[]>(
  Object.entries({
    function: ["fn"],
    func: ["fn"],
    def: ["fn"],
    fun: ["fn"],
    // Rust functions inside an `impl` are `fn` and answer to `method` too; `matchesKind` checks the parent.
    method: ["method", "constructor"],
    ctor: ["constructor"],
    structure: ["struct"],
    enumeration: ["enum"],
    constant: ["const"],
    variable: ["var"],
    let: ["var"],
    typealias: ["type"],
    alias: ["type"],
    mod: ["module"],
    ns: ["namespace"],
    import: ["use"],
    attribute: ["field"],
    member: ["field", "property"],
    prop: ["property"],
  }),
);

/** The kinds a filter word means; empty when the word means nothing. */
export function parseKindFilter(word: string): readonly Kind[] {
  const folded = word.trim().toLowerCase();
  const exact = KINDS.find((kind) => kind === folded);
  return ALIASES.get(folded) ?? (exact ? [exact] : []);
}

const OWNERS_OF_METHODS: ReadonlySet<Kind> = new Set(["impl", "trait", "class", "struct", "interface", "extension"]);

/** Whether a symbol of `kind` inside a parent of `parentKind` answers to the filter. */
export function matchesKind(filter: readonly Kind[], kind: Kind, parentKind: Kind | undefined): boolean {
  if (filter.includes(kind)) return true;
  return kind === "fn" && filter.includes("method") && parentKind !== undefined && OWNERS_OF_METHODS.has(parentKind);
}

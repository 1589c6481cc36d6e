/**
 * References as values. A parse worker reads the *facts* of a file version: names that are used, where, on what, and
 * what the file imports. Facts name nothing outside their file; `navigate/bind` binds them inside a view. What a
 * language says about its own is `language-edges.ts`.
 */
import { type ConnectionFact, type ConnectionKind, connectionMentions, type KeyMatch } from "./connections.ts";
import type { Kind } from "./kinds.ts";

export const EDGE_KINDS = ["imports", "calls", "implements", "extends", "references"] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

/** How an edge was bound, surest first. What cannot be bound is matched by name only. */
export const RESOLUTIONS = ["compiler", "exact", "import", "receiver", "name_only"] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/**
 * Captures of an `edges.scm`. A match has one of the first group; the others add to it.
 *
 * `ref`        a name without a receiver: a variable, a function, a type; with `value`: it is given one, not called
 * `member`     a name after a dot, with `recv`, the expression before the dot, or the `type` it is taken from
 * `tag`        as `ref`: a component of a template, whose name may be written in kebab case and need not be imported
 * `call`       as `ref` or `member`, and certainly called (others are calls when a `(` follows)
 * `key`        a key of an object literal, a keyword argument: may name a field of a type that is not written here
 * `extends`, `implements`  the name (or what ends with it) of a supertype in a type's head
 * `scope`      what bounds the names inside it;  `fn`: the same, and a function: its `return`s are its own; with
 *              `value`: its body, which is a sibling node
 * `when`       a condition; in `holds` it is true, with `unless`: behind that it is not
 * `guard`      the name of a function that confirms a `type`: `x is T`
 * `generic`    with `local`: a type parameter of the definition around it, with `type` (its constraint) and `value` (its default)
 * `base`       a supertype as it is written, with its type arguments
 * `local`      a name bound here, with `type` (its declared type), `value` (what it is made from), `item` (it is one
 *              of the elements of that value), `of` (the key that is taken out of the value), where they are written
 *              or `args` and `recv`: it is a parameter (`params`: which) of a function that is passed to a call
 * `param`      a parameter of the enclosing function, with `type`
 * `literal`    an object or array that is written out; its type is given by `type`, by `value` (what it is
 *              assigned to), by `of` (its key in the literal around it), by `item` (it is an element of that), by `args`
 *              and `recv` (it is passed to a call); alone: by the result of the function that returns it
 * `field`      a field of the enclosing type that is set or declared here, with `type` or `value`
 * `result`     the name of a function or method, with its declared return `type`
 * `return`     what a function gives back
 * `import`     a whole import or export statement, read by `LanguageEdges.imports`
 * `default`    the name of the definition that is the file's default export
 */
export const EDGE_ROLES = [
  "ref",
  "member",
  "tag",
  "call",
  "key",
  "extends",
  "implements",
  "scope",
  "fn",
  "when",
  "holds",
  "unless",
  "guard",
  "generic",
  "base",
  "local",
  "param",
  "literal",
  "field",
  "result",
  "return",
  "import",
  "default",
  "recv",
  "type",
  "value",
  "item",
  "of",
  "args",
  "params",
] as const;
export type EdgeRole = (typeof EDGE_ROLES)[number];

/** Captures of one file, in the order of their matches: capture i has role `roles[i]` and belongs to match `matches[i]`. */
export interface RawEdges {
  readonly roles: readonly EdgeRole[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly matches: readonly number[];
}

/** One name of an import or export statement. */
export interface ImportItem {
  /** As written, without quotes; "" where a name of this very file is exported. */
  readonly module: string;
  /** The imported name; `*` the module itself, `=` its one value (CommonJS); "" nothing but the module's effects. */
  readonly name: string;
  /** Under which this file knows it; "" when it does not, `*` when it knows every name of the module by itself. */
  readonly local: string;
  /** Under which others get it from this file; `*` every name of the module, `=` as the file's one value. */
  readonly exported?: string;
  /** By CommonJS's `require`, to which a package may offer another file. */
  readonly required?: true;
  /** Offset of the name (or the module) in the statement. */
  readonly at: number;
}

export interface ImportFact extends Omit<ImportItem, "at"> {
  readonly line: number;
  readonly column: number;
}

/** A symbol as binding needs it; `index` in the file's record is its position in the list. */
export interface FactDefinition {
  readonly name: string;
  readonly kind: Kind;
  /** -1 at the top level. */
  readonly parent: number;
  /** A member of the class itself, where one of its instances has the same name. */
  readonly static?: true;
  /** Its value's type, or what a call of it gives; see `Expression`. */
  readonly type?: Expression;
  /** Parameter types by position, "" if undeclared; `…` before a rest parameter. */
  readonly params?: readonly Expression[];
  /** Where the scope begins in which alone it is seen; absent when it belongs to the file or to its parent. */
  readonly scope?: number;
}

/**
 * What can be known of a value from how it is written: a root and steps.
 * Roots: `this`, `super`, `#3` the local 3, `@7` the symbol 7, `:T` a value of the type that is written so (`@7` in it:
 * the symbol 7, `#3` the type parameter 3, `{3-5}`: a literal type with the members 3 to 5), `%m` the module m (`%=m`: as `require` finds it), `'` a literal, `{` an object literal, else a free name.
 * Steps: `.name`, `<A,B>` with type arguments, `()` called (`()_,3`: with two arguments, the second is the expression 3), `!` made with `new`, `&3` confirmed by the function 3, `&!3` an instance of 3, `&.b` one that has a `b`,
 * `&b'x'` one whose `b` is 'x', `[]` one of its elements, `^` awaited, `~1` what it takes as its
 * second parameter, `?` (the last one) only some of its alternatives (`…` before a root: all the rest). Steps and root are set apart by a tab: `#3\t.user\t.name`.
 */
export type Expression = string;

/** The uses of names in a file: column by column, sorted by name, then by place. */
export interface Sites {
  readonly count: number;
  /** Positions in `Facts.names`. */
  readonly names: Uint32Array;
  /** Positions in `EDGE_KINDS`. */
  readonly kinds: Uint8Array;
  /** 1-based. */
  readonly lines: Uint32Array;
  /** 0-based, in UTF-16 units. */
  readonly columns: Uint32Array;
  /** Innermost symbol around the site, -1 for none. */
  readonly from: Int32Array;
  /** Symbol of this file that the name means by its scopes; -1: not one of this file; -2: it has a receiver. */
  readonly bound: Int32Array;
  /** Position in `Facts.expressions` of the receiver; -1 without one, -2 for keys of literals. */
  readonly receivers: Int32Array;
}

export interface Facts {
  readonly definitions: readonly FactDefinition[];
  readonly imports: readonly ImportFact[];
  /** Sorted; those of sites. */
  readonly names: readonly string[];
  readonly sites: Sites;
  readonly expressions: readonly Expression[];
  /** By local: what it is, "" when nothing is known. Of a type parameter: `<`, its constraint, a line break, its default. */
  readonly locals: readonly Expression[];
  /**
   * Fields that are no symbols of their own (`self.x = …`), by the type's symbol; `()`: what calling it gives; `<`: its type
   * parameters in order; `<:`: a supertype with its type arguments; of a function `is`: the type that it confirms, or that it
   * extends.
   */
  readonly fields: readonly { readonly owner: number; readonly name: string; readonly type: Expression }[];
  /** Sides of connections; absent in files without one. */
  readonly connections?: readonly ConnectionFact[];
}

const NONE = new Int32Array(0);

export const NO_FACTS: Facts = {
  definitions: [],
  imports: [],
  names: [],
  sites: {
    count: 0,
    names: new Uint32Array(0),
    kinds: new Uint8Array(0),
    lines: new Uint32Array(0),
    columns: new Uint32Array(0),
    from: NONE,
    bound: NONE,
    receivers: NONE,
  },
  expressions: [],
  locals: [],
  fields: [],
};

/** Names under which a file must be found: those it uses, imports or re-exports, and those of its connections. */
export function mentionedNames({ names, imports, connections = [] }: Facts): Set<string> {
  const mentioned = new Set([...names, ...connectionMentions(connections)]);
  for (const { name, exported } of imports) {
    if (name !== "" && name !== "*") mentioned.add(name);
    if (exported !== undefined && exported !== "*") mentioned.add(exported);
  }
  return mentioned;
}

export function importedModules({ imports }: Facts): string[] {
  return [...new Set(imports.map(({ module }) => module))].filter((module) => module !== "");
}

/** How a member is related to one of the same name above or below it in the type hierarchy. */
export const MEMBER_RELATIONS = ["base", "override"] as const;
export type MemberRelation = (typeof MEMBER_RELATIONS)[number];

/** A symbol of a view: a file and the symbol's index in its record. */
export interface SymbolLocation {
  readonly path: string;
  readonly index: number;
}

/** A bound use of a name. */
export interface Edge {
  readonly kind: EdgeKind;
  readonly resolution: Resolution;
  readonly name: string;
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** 0-based. */
  readonly column: number;
  /** Innermost symbol around the site; absent at the top of the file. */
  readonly from?: number;
  /** The definition; absent if only the name is known. */
  readonly to?: SymbolLocation;
  /**
   * The site means a member that the requested one overrides, or one that overrides it: at run time it may be either.
   * Never a certain edge.
   */
  readonly via?: MemberRelation;
}

/**
 * Two places that name the same key. Shaped like an `Edge`, but no binding leads from one to the other, so it never counts as
 * certain.
 */
export interface ConnectionEdge {
  readonly kind: ConnectionKind;
  readonly resolution: KeyMatch;
  /** The key as the definition has it, with the prefixes that are known. */
  readonly name: string;
  /** What is at `path` and `line`: a use of the key, or its definition, which leads to the handler. */
  readonly side: "use" | "definition";
  readonly path: string;
  readonly line: number;
  /** Innermost symbol around the place; absent at the top of the file. */
  readonly from?: number;
  /** What serves the key; absent where it is not known. */
  readonly to?: SymbolLocation;
  /** Where the key is defined. */
  readonly definition?: { readonly path: string; readonly line: number };
}

/**
 * References as values. A parse worker reads the *facts* of a file version: names that are used, where, on what, and
 * what the file imports. Facts name nothing outside their file; `navigate/bind` binds them inside a view.
 *
 * How a language gets edges, in four steps:
 * 1. `languages/<lang>/edges.scm`: a query whose captures are `EDGE_ROLES` (what each means stands there).
 * 2. `languages/<lang>/edges.ts`: a `LanguageEdges` — how an import statement reads, what `self` is called, and the
 *    `Resolver` that leads from a module's name to files of the view.
 * 3. `edges` in its `language.ts`.
 * 4. `sample.*` and `edges.golden.txt` beside it (`UPDATE_GOLDEN=1 npx vitest run test/golden/edges.test.ts`).
 */
import type { Kind } from "./kinds.ts";

export const EDGE_KINDS = ["imports", "calls", "implements", "extends", "references"] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];

/** How an edge was bound, surest first. What cannot be bound is kept by name and never shown as sure. */
export const RESOLUTIONS = ["exact", "import", "receiver", "name_only"] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/**
 * Captures of an `edges.scm`. A match has one of the first group; the others say more about it.
 *
 * `ref`        a name that stands alone: a variable, a function, a type; with `value`: it is given one, not called
 * `member`     a name after a dot, with `recv`, the expression before the dot, or the `type` it is taken from
 * `call`       as `ref` or `member`, and certainly called (others are calls when a `(` follows)
 * `key`        a key of an object literal, a keyword argument: may name a field of a type that is not written here
 * `extends`, `implements`  the name (or what ends with it) of a supertype in a type's head
 * `scope`      what bounds the names inside it;  `fn`: the same, and a function: its `return`s are its own
 * `local`      a name bound here, with `type` (its declared type), `value` (what it is made from), `item` (it is one
 *              of the elements of that value), `of` (the key that is taken out of the value), where they are written
 *              or `args` and `recv`: it is a parameter (`params`: which) of a function that is handed to a call
 * `param`      a parameter of the enclosing function, with `type`
 * `literal`    an object or array that is written out; what it must be is said by `type`, by `value` (what it is
 *              assigned to), by `of` (its key in the literal around it), by `item` (it is an element of that), by `args`
 *              and `recv` (it is handed to a call); alone: by the result of the function that returns it
 * `field`      a field of the enclosing type that is set or declared here, with `type` or `value`
 * `result`     the name of a function or method, with its declared return `type`
 * `return`     what a function gives back
 * `import`     a whole import or export statement, read by `LanguageEdges.imports`
 * `default`    the name of the definition that is the file's default export
 */
export const EDGE_ROLES = [
  "ref",
  "member",
  "call",
  "key",
  "extends",
  "implements",
  "scope",
  "fn",
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
  /** Where the name (or the module) stands in the statement. */
  readonly at: number;
}

export interface ImportFact extends Omit<ImportItem, "at"> {
  readonly line: number;
  readonly column: number;
}

/** A symbol as binding needs it; `index` in the file's record is its position in the list. */
export interface Definition {
  readonly name: string;
  readonly kind: Kind;
  /** -1 at the top level. */
  readonly parent: number;
  /** Its value's type, or what a call of it gives; see `Expression`. */
  readonly type?: Expression;
  /** What it takes, by position, "" where nothing is said; `…` before the last when it takes all the rest. */
  readonly params?: readonly Expression[];
  /** Where the scope begins in which alone it is seen; absent when it belongs to the file or to its parent. */
  readonly scope?: number;
}

/**
 * What can be known of a value from how it is written: a root and steps.
 * Roots: `this`, `super`, `#3` the local 3, `@7` the symbol 7, `:T` a value of the type that is written so (`@7` in it:
 * the symbol 7), `%m` the module m (`%=m`: as `require` finds it), `'` a literal, `{` an object literal, else a free name.
 * Steps: `.name`, `()` called, `!` made with `new`, `[]` one of its elements, `^` awaited, `~1` what it takes as its
 * second parameter (`…` before a root: all the rest). Steps and root are set apart by a tab: `#3\t.user\t.name`.
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
  /** Position in `Facts.expressions` of what stands before the dot; -1 without one, -2 for keys of literals. */
  readonly receivers: Int32Array;
}

export interface Facts {
  readonly definitions: readonly Definition[];
  readonly imports: readonly ImportFact[];
  /** Sorted; those of sites. */
  readonly names: readonly string[];
  readonly sites: Sites;
  readonly expressions: readonly Expression[];
  /** By local: what it is, "" when nothing is known. */
  readonly locals: readonly Expression[];
  /** Fields that are no symbols of their own (`self.x = …`), by the type's symbol. */
  readonly fields: readonly { readonly owner: number; readonly name: string; readonly type: Expression }[];
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

/** Names under which a file must be found: those it uses and those it imports or hands on. */
export function mentionedNames({ names, imports }: Facts): Set<string> {
  const mentioned = new Set(names);
  for (const { name, exported } of imports) {
    if (name !== "" && name !== "*") mentioned.add(name);
    if (exported !== undefined && exported !== "*") mentioned.add(exported);
  }
  return mentioned;
}

export function importedModules({ imports }: Facts): string[] {
  return [...new Set(imports.map(({ module }) => module))].filter((module) => module !== "");
}

/** The paths of a view and the texts of its configuration files, as far as module systems look at them. */
export interface ViewPaths {
  readonly paths: readonly string[];
  has(path: string): boolean;
  /** Text of a file that `Resolver.configs` names. */
  text(path: string): string | undefined;
}

/** A language family's module system. */
export interface Resolver {
  /** Base names of files that say how modules are found: `tsconfig.json`. */
  readonly configs?: RegExp;
  /** The files that a module's name means, best first; none when it lies outside the view. */
  prepare(view: ViewPaths): (module: string, from: string, how?: "required") => readonly string[];
  /** What a name taken from a module is called if it is a module itself: `a.b` and `c` are `a.b.c`. */
  submodule?(module: string, name: string): string;
}

/** A symbol of the view, found by its name. */
export interface NamedSymbol extends SymbolPlace {
  readonly kind: Kind;
  readonly language: string;
  readonly qualifiedName: string;
  /** It stands in another symbol that is no package. */
  readonly inner: boolean;
  readonly declaration: boolean;
  /** Namespaces around it, and the types around it or those that its definition names, each joined by `::`. */
  readonly space: string;
  readonly owner: string;
  /** Only its own file sees it: C's `static`. */
  readonly local: boolean;
}

/** A file that uses a name. */
export interface NameUser {
  readonly path: string;
  /** The package or namespace that the file says it belongs to; "" when it says none. */
  readonly home: string;
  readonly imports: readonly ImportFact[];
}

/** What a language folder says about references. */
export interface LanguageEdges {
  /** Reads one statement that `@import` captured. */
  imports(statement: string): readonly ImportItem[];
  /** Words for the instance and for its base: `this`, `self`; `super`. */
  readonly self: readonly string[];
  readonly base: readonly string[];
  /** Between a value and its member, beside the dot. */
  readonly joints?: readonly string[];
  /** Calling a type makes an instance of it (Python, Kotlin); elsewhere only `new` does. */
  readonly callsConstruct?: true;
  /** An import binds a name that other files may import from here again (Python). */
  readonly importsAreExports?: true;
  /** Names of a class are seen by what stands directly in its body (Python). */
  readonly classScope?: true;
  /** Only what is exported by a statement can be imported; absent: every top-level name can. */
  readonly explicitExports?: true;
  /**
   * Whose uses are a member's as well, as the language's editors count it: of what it overrides (`bases`), of what
   * overrides it, too (`both`); absent: such uses are listed by name only.
   */
  readonly overridesAreUses?: "bases" | "both";
  readonly resolver: Resolver;
  /**
   * Where names live in packages rather than in files (Java, Go, C# …): how near a symbol is to a file that uses its name
   * without an import of that very name; 0: it cannot be meant. Names of imports are then found by their qualified names.
   */
  near?(symbol: NamedSymbol, user: NameUser): number;
  /** A name without a receiver may be a member of the type around it (Java, C++, Ruby). */
  readonly implicitSelf?: true;
  /** Members may stand outside their type: Go's and C++'s methods, Rust's `impl`, Swift's extensions. */
  readonly detachedMembers?: true;
  /** A function may be declared in one file and defined in another. */
  readonly prototypes?: true;
  /** What an enum lists are names of whatever it stands in, too (C, C++). */
  readonly openEnums?: true;
  /** A free name may be a module's: Rust's `crate`, `super` and crates. */
  readonly moduleNames?: true;
  /** A type as `navigate/bind/types.ts` reads it: `*User` is `User`, `[]User` is `User[]`. */
  types?(written: string): string;
  /** `&x`, `*x` are read as `x`; `T { … }` makes a T; `x.(T)` is a T. */
  readonly derefs?: true;
  readonly composites?: true;
  readonly assertions?: true;
  /** Functions that are handed a type and give a value of it: Go's `new`. */
  readonly typeCalls?: readonly string[];
  /** The name that means nothing wherever it stands: Go's `_`. */
  readonly blank?: string;
  /** What a local is made from does not see it yet: in `x := x.next()` the second `x` is another. */
  readonly lexical?: true;
  /** The method of a type that makes an instance: Ruby's `new`. */
  readonly maker?: string;
  /** Methods that hand on what they are called on: `unwrap`, `clone`. */
  readonly passing?: readonly string[];
}

/** A symbol of a view: a file and the symbol's index in its record. */
export interface SymbolPlace {
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
  /** What is meant; absent when the name alone is known. */
  readonly to?: SymbolPlace;
}

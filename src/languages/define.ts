/** What the product knows about one language: data and a few tiny pure functions, no parsing code. */
import type { Visibility } from "../model/code.ts";
import type { Kind } from "../model/kinds.ts";
import type { LanguageEdges } from "../model/language-edges.ts";
import type { Parsed, RawDefinition } from "../ports/grammars.ts";

/** What a language needs to determine the visibility of a definition. */
export interface VisibilityEvidence {
  readonly name: string;
  readonly kind: Kind;
  /** Text of `@vis`, as the source has it. */
  readonly vis: string | undefined;
  /** First line of the definition. */
  readonly head: string;
  readonly parentKind: Kind | undefined;
}

/**
 * `wasm` is the file's path inside the package. `symbols` and `edges` are the files of its queries, one after the other,
 * as paths in `languages/`; without them, its own `symbols.scm` and `edges.scm`.
 */
export interface GrammarOrigin {
  readonly npm: string;
  readonly wasm: string;
  readonly symbols?: readonly string[];
  readonly edges?: readonly string[];
  /** The language whose loaded grammar and queries are used. */
  readonly of?: string;
}

/**
 * `module exports`: through the entries of a published package; `modules`: through any module of a distribution; `packages`:
 * unless the folder is internal; `crate`: through the library of a crate; `linkage`: unless it is static; `environment`: only
 * if it is exported to other processes.
 */
export type ExposureRule = "module exports" | "modules" | "packages" | "crate" | "linkage" | "environment";

export interface Language {
  /** The word on the wire: `rust`, `typescript`, `csharp`. */
  readonly id: string;
  readonly title: string;
  /** Other words that a `language` filter may use: `rs`, `c#`. */
  readonly aliases: readonly string[];
  /** A `language` filter for this id selects this language as well: TSX with TypeScript. */
  readonly filterWith?: string;
  /** Languages with the same word share a module system. Default: the id. */
  readonly moduleSystem?: string;
  /** A package is a folder, and methods of a type may be in any of its files (Go). */
  readonly folderPackages?: true;
  /** With the dot, lower case. */
  readonly extensions: readonly string[];
  /** Extensions that another language owns, taken where the text shows the evidence: C++ in a `.h`. */
  readonly contested?: { readonly extensions: readonly string[]; readonly evidence: RegExp };
  /** Another grammar for texts that show it; whatever is in them stays of this language. */
  readonly dialect?: { readonly language: Language; occursIn(text: string): boolean };
  /** Whole file names, as they are spelt: `Rakefile`. */
  readonly filenames?: readonly string[];
  /** Programs of a `#!` line: `bash`, `python3`. */
  readonly interpreters?: readonly string[];
  /** Where the grammar comes from; absent for languages that are read without one (Markdown, plain text). */
  readonly grammar?: GrammarOrigin;
  /** Reads a text without a grammar. */
  read?(text: string): Parsed;
  /** The text as the grammar should see it, of the same length: what it could only stumble over is blanked out. */
  quiet?(text: string): string;
  /** What the file as a whole defines: its component, which stands where its markup is. */
  component?(path: string, text: string): RawDefinition;
  /** What to read instead, of the same length, when the grammar found errors. */
  secondTry?(text: string): string;
  /** Between the parts of a qualified name. */
  readonly separator: "::" | ".";
  /** Parts of a file's module name: `src/auth/jwt.rs` → `["auth", "jwt"]`. */
  moduleOf(path: string): readonly string[];
  /** The source names its module itself (`package`, `namespace`); the path is used only if it does not. */
  readonly declaresModules?: true;
  /** Functions directly inside one of these become `method`. Rust has none: its functions stay `fn`. */
  readonly methodOwners: readonly Kind[];
  /** The keyword for the outline and the normalised word for results; undefined where the language has neither. */
  visibility(evidence: VisibilityEvidence): { keyword?: string; visibility?: Visibility };
  /** The name without syntax that the capture includes: `:total` → `total`. */
  nameOf?(written: string, kind: string): string;
  /** Neighbouring functions of one name are one symbol: Haskell's equations and the type signature above them. */
  readonly joinsClauses?: true;
  /** How code outside the repository reaches a symbol; absent: every visible one can be reached. */
  readonly exposure?: ExposureRule;
  /** A private member can neither be overridden nor be called by a base. */
  readonly sealedPrivate?: true;
  /** A function inside a method is a method of whatever its block is evaluated in (Ruby). */
  readonly methodsInMethods?: true;
  /** What it defines are headings of a text, which have no uses. */
  readonly prose?: true;
  /** Line prefixes and block delimiters that are not part of a doc comment's words, longest first. */
  readonly docMarkers: readonly string[];
  /** How references are read and bound, for languages with an `edges.scm`. */
  readonly edges?: LanguageEdges;
}

/** Definitions inside one of these are local. */
export const FUNCTION_KINDS: ReadonlySet<Kind | undefined> = new Set<Kind>(["fn", "method", "constructor"]);

/** A registry entry, checked where it is written. */
export function defineLanguage(language: Language): Language {
  const { edges } = language;
  return { ...NOTHING_SAID, ...language, ...(edges && { edges: { ...NO_EDGES, ...edges } }) } as Language;
}

/**
 * Entries have all properties in one order, even undefined ones: with several object shapes, V8 recompiled hot code
 * for each and stayed slow.
 */
const NOTHING_SAID: Record<keyof Language, undefined> = {
  id: undefined,
  title: undefined,
  aliases: undefined,
  filterWith: undefined,
  moduleSystem: undefined,
  folderPackages: undefined,
  extensions: undefined,
  contested: undefined,
  dialect: undefined,
  filenames: undefined,
  interpreters: undefined,
  grammar: undefined,
  read: undefined,
  quiet: undefined,
  component: undefined,
  secondTry: undefined,
  separator: undefined,
  moduleOf: undefined,
  declaresModules: undefined,
  methodOwners: undefined,
  visibility: undefined,
  nameOf: undefined,
  joinsClauses: undefined,
  exposure: undefined,
  sealedPrivate: undefined,
  methodsInMethods: undefined,
  prose: undefined,
  docMarkers: undefined,
  edges: undefined,
};

const NO_EDGES: Record<keyof LanguageEdges, undefined> = {
  imports: undefined,
  self: undefined,
  base: undefined,
  joints: undefined,
  callsConstruct: undefined,
  namedConstructors: undefined,
  importsAreExports: undefined,
  classScope: undefined,
  literalTypes: undefined,
  sharedImports: undefined,
  tagName: undefined,
  extensions: undefined,
  resolver: undefined,
  near: undefined,
  isGlobal: undefined,
  implicitSelf: undefined,
  moduleTypes: undefined,
  dynamic: undefined,
  fullName: undefined,
  exactNames: undefined,
  separateFunctions: undefined,
  namespaces: undefined,
  detachedMembers: undefined,
  targets: undefined,
  tables: undefined,
  structuralInterfaces: undefined,
  prototypes: undefined,
  openNamespaces: undefined,
  openEnums: undefined,
  openTypes: undefined,
  builtins: undefined,
  moduleNames: undefined,
  types: undefined,
  tokens: undefined,
  derefs: undefined,
  composites: undefined,
  assertions: undefined,
  typeCalls: undefined,
  blank: undefined,
  lexical: undefined,
  maker: undefined,
  initializer: undefined,
  namesOfLocals: undefined,
  passing: undefined,
};

const SOURCE_ROOTS = new Set([
  "src",
  "lib",
  "app",
  "source",
  "sources",
  "pkg",
  "main",
  "java",
  "kotlin",
  "scala",
  "python",
]);

/** Module parts from a path: leading source roots and the extension dropped, `dropLast` names left out. */
export function modulePath(path: string, dropLast: readonly string[] = []): string[] {
  const parts = path.split("/");
  const file = parts.pop() ?? "";
  const stem = file.replace(/\.[^.]+$/, "") || file;
  while (parts.length > 0 && SOURCE_ROOTS.has(parts[0]!.toLowerCase())) parts.shift();
  return dropLast.includes(stem) ? parts : [...parts, stem];
}

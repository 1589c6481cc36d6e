/**
 * What a language defines about references. How a language gets edges, in four steps:
 * 1. `languages/<lang>/edges.scm`: a query whose captures are `EDGE_ROLES` (documented there).
 * 2. `languages/<lang>/edges.ts`: a `LanguageEdges` — how an import statement reads, what `self` is called, and the
 *    `Resolver` that leads from a module's name to files of the view.
 * 3. `edges` in its `language.ts`.
 * 4. `sample.*` and `edges.golden.txt` next to it (`UPDATE_GOLDEN=1 npx vitest run test/golden/languages`).
 */
import type { CodeSymbol } from "./code.ts";
import type { ImportFact, ImportItem, SymbolLocation } from "./edges.ts";
import type { Kind } from "./kinds.ts";

/** The paths of a view and the texts of its configuration files, as module systems need them. */
export interface ViewPaths {
  readonly paths: readonly string[];
  has(path: string): boolean;
  /** Text of a file that `Resolver.configs` names. */
  text(path: string): string | undefined;
}

/** A language family's module system. */
export interface ModuleResolver {
  /** Base names of configuration files of the module system: `tsconfig.json`. */
  readonly configs?: RegExp;
  /** The files of a module, best first; none if it is outside the view. Of the module "": those of the file's own module. */
  prepare(view: ViewPaths): (module: string, from: string, how?: "required") => readonly string[];
  /** What a name taken from a module is called if it is a module itself: `a.b` and `c` are `a.b.c`. */
  submodule?(module: string, name: string): string;
}

/** A symbol of the view, found by its name. */
export interface NamedSymbol extends SymbolLocation {
  readonly kind: Kind;
  readonly language: string;
  readonly qualifiedName: string;
  /** It is nested in a symbol other than a package. */
  readonly inner: boolean;
  readonly declaration: boolean;
  /** Namespaces around it, and the types around it or those that its definition names, each joined by `::`. */
  readonly space: string;
  readonly owner: string;
  /** Only its own file sees it: C's `static`. */
  readonly local: boolean;
  readonly global: boolean | "perhaps";
}

/** A file that uses a name. */
export interface NameUser {
  readonly path: string;
  /** The package or namespace that the file declares; "" if none. */
  readonly home: string;
  readonly imports: readonly ImportFact[];
  /** Whether a file is of the user's own module or of one that it imports, as the resolver knows them. */
  readonly reach: (path: string) => "own" | "imported" | undefined;
}

/** What a language folder defines about references. */
export interface LanguageEdges {
  /** Reads one statement that `@import` captured. */
  imports(statement: string): readonly ImportItem[];
  /** Words for the instance and for its base: `this`, `self`; `super`. */
  readonly self: readonly string[];
  readonly base: readonly string[];
  /** Member operators other than the dot. */
  readonly joints?: readonly string[];
  /** Calling a type makes an instance of it (Python, Kotlin); elsewhere only `new` does. */
  readonly callsConstruct?: true;
  /** A constructor may have a name of its own, under which it is called: `Order.empty()` (Dart). */
  readonly namedConstructors?: true;
  /** An import binds a name that other files may import from here again (Python). */
  readonly importsAreExports?: true;
  /** Names of a class are visible only directly in its body (Python). */
  readonly classScope?: true;
  /** A type may be written out where it is used: its properties are no names of the file (TypeScript). */
  readonly literalTypes?: true;
  readonly resolver: ModuleResolver;
  /**
   * Where names live in packages rather than in files (Java, Go, C# …): how near a symbol is to a file that uses its name
   * without an import of that name; 0: it is not visible. Names of imports are then found by their qualified names.
   */
  near?(symbol: NamedSymbol, user: NameUser): number;
  /**
   * Every file of the view knows the symbol without an import: TypeScript's `declare global`, Rust's macros. Without a path:
   * whether its own file must look there, too, since others may add to it. `perhaps`: the files that are loaded with it do.
   */
  isGlobal?(index: number, symbols: readonly CodeSymbol[], path: string): boolean | "perhaps";
  /** Text of the imports that other files of their project share: C#'s `global using`. */
  readonly sharedImports?: string;
  /** A name without a receiver may be a member of the type around it (Java, C++, Ruby). */
  readonly implicitSelf?: true;
  /** A module is a type: it has a self, and may be mixed in (Ruby). */
  readonly moduleTypes?: true;
  /** Names that may be of the view although they are not found: globals, methods that are mixed in (Ruby, Lua). */
  readonly dynamic?: RegExp;
  /** The name of what a `tag` means: C#'s `[Order]` is an `OrderAttribute`. It has a scope and imports like any other. */
  tagName?(written: string): string;
  /** Static methods may be called on their first parameter (C#). */
  readonly extensions?: true;
  /** The name that a use means by the imports of its file: Elixir's `alias`. */
  fullName?(written: string, imports: readonly ImportItem[]): string;
  /** A name may be written with its namespace: `\App\Order` (PHP). */
  readonly namespaces?: true;
  /** Functions and values have names of their own: a call means a function, any other use a value (Bash, PHP). */
  readonly separateFunctions?: true;
  /** A captured name is one name, whatever its characters: `valid?`, `git-sync`. Elsewhere a type may be in quotes. */
  readonly exactNames?: true;
  /** A module is a set of files that see each other's names, and may qualify them: `Shop.Order` (Swift). */
  readonly targets?: true;
  /** Members may be defined outside their type: Go's and C++'s methods, Rust's `impl`, Swift's extensions. */
  readonly detachedMembers?: true;
  /** Types and modules are tables: `function M.open()` is a member of the variable M, `setmetatable(x, T)` is a T (Lua). */
  readonly tables?: true;
  /** A type implements an interface by having its methods (Go). */
  readonly structuralInterfaces?: true;
  /** A function may be declared in one file and defined in another. */
  readonly prototypes?: true;
  /** A namespace does not own its names: they belong to the file (C, C++, C#, PHP). */
  readonly openNamespaces?: true;
  /** Enum members are also names of the scope around the enum (C++), or of the file, whatever is around it (C). */
  readonly openEnums?: true | "of file";
  /** Members of types are names of the file: constructors, fields, methods of classes (Haskell). */
  readonly openTypes?: true;
  /** A free name may be a module's: Rust's `crate`, `super` and crates. */
  readonly moduleNames?: true;
  /** A type as `navigate/bind/types.ts` reads it: `*User` is `User`, `[]User` is `User[]`. */
  types?(written: string): string;
  /** Macro arguments are tokens: the receiver of a name is what precedes it in the text (Rust). */
  readonly tokens?: true;
  /** `@import("m")` is a module, `@This()` the type around it (Zig). */
  readonly builtins?: true;
  /** `&x`, `*x` are read as `x`; `T { … }` makes a T; `x.(T)` is a T. */
  readonly derefs?: true;
  readonly composites?: true;
  readonly assertions?: true;
  /** Functions that take a type and return a value of it: Go's `new`. */
  readonly typeCalls?: readonly string[];
  /** The blank identifier: Go's `_`. */
  readonly blank?: string;
  /** What a local is made from does not see it yet: in `x := x.next()` the second `x` is another. */
  readonly lexical?: true;
  /** The method of a type that makes an instance: Ruby's `new`. */
  readonly maker?: string;
  /** The method of the new instance that the maker calls (Ruby's `initialize`). */
  readonly initializer?: string;
  /** Names of locals that are captured under another word: what RSpec's `describe Order do` calls `described_class`. */
  readonly namesOfLocals?: Readonly<Record<string, string>>;
  /** Methods that hand on what they are called on: `unwrap`, `clone`. */
  readonly passing?: readonly string[];
}

/** Parsing as the core needs it: text in, raw definitions and edges out. Trees never cross this line. */
import type { RawEdges } from "../model/edges.ts";

/** One match of a language's `symbols.scm`. Offsets are UTF-16 units of the text; rows are 0-based. */
export interface RawDefinition {
  /** The word after `@def.` in the query: a kind of `model/kinds.ts`. */
  readonly kind: string;
  /** The whole definition (`@outer` when captured, else `@def.*`). */
  readonly start: number;
  readonly end: number;
  readonly startRow: number;
  readonly endRow: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  /** Its name, where the text does not say it: a component has that of its file. */
  readonly name?: string | undefined;
  /** Of a text in a string, which is not that of the file. */
  readonly language?: string | undefined;
  /** Where `@body` starts; the signature ends there. Absent when there is no body. */
  readonly bodyStart?: number | undefined;
  /** Text of `@scope`: the type that owns the symbol where nesting does not say it (Go receivers, C++ `Foo::bar`). */
  readonly scope?: string | undefined;
  /** Text of `@vis`: visibility or modifier keywords. */
  readonly vis?: string | undefined;
  /** Text of `@doc`, where the comment does not stand above the definition (Python docstrings). */
  readonly doc?: string | undefined;
}

export interface Parsed {
  /** `partial`: the tree has error nodes. `timeout` and `crash`: nothing could be read. */
  readonly outcome: "clean" | "partial" | "timeout" | "crash";
  readonly definitions: readonly RawDefinition[];
  /** Captures of the language's `edges.scm`, where it has one. */
  readonly edges?: RawEdges;
  readonly detail?: string;
  /** What a `partial` tree could not read; rows are 0-based, inclusive. */
  readonly errors?: readonly { readonly startRow: number; readonly endRow: number }[];
}

export interface ParseOptions {
  /** Without edges, which take as long. */
  readonly only?: "definitions";
  /** The text in a simpler form, every offset kept: parsed when the first tree has errors, and taken if it shows more. */
  readonly simpler?: (text: string) => string;
}

export interface Grammars {
  /**
   * Loads what the languages need, once; later calls are free. Unknown languages are ignored. Await it before each
   * `parse`: after a crash this is where a new parser is started.
   */
  prepare(languages: Iterable<string>): Promise<void>;
  /** Parses within the budget. Never throws, whatever the input. */
  parse(language: string, text: string, budgetMs: number, options?: ParseOptions): Parsed;
}

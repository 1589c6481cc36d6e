/** What pasted text says about places in code. */

export type PastedFormat =
  | "location"
  | "permalink"
  | "diff"
  | "python"
  | "javascript"
  | "java"
  | "go"
  | "rust"
  | "csharp"
  | "ruby"
  | "php"
  | "elixir"
  | "compiler"
  | "go_test"
  | "pytest"
  | "jest";

/** One place that pasted text names. */
export interface PastedFrame {
  readonly format: PastedFormat;
  /** As pasted, with `/` as separator and without a scheme or drive. */
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
  /** Last line of a range. */
  readonly lineEnd?: number;
  readonly column?: number;
  /** Function, method or test as the text spells it. */
  readonly symbol?: string;
  /** The quoted line of source, trimmed. It finds the line in a file that has changed since. */
  readonly source?: string;
  /** Of a diff: the place and its source once the diff is applied. */
  readonly after?: SourceAnchor;
  /** Library or application that the path is relative to: `phoenix` of `(phoenix 1.7.2) lib/phoenix.ex`. */
  readonly library?: string;
  /** Package of a JVM class, `com.acme.app`; the path is made of it. */
  readonly package?: string;
  /** Index of the line of the pasted text. */
  readonly at: number;
}

export interface SourceAnchor {
  readonly line: number;
  readonly source: string;
}

export interface PastedEvidence {
  /** Innermost first, and a root cause before what it caused. */
  readonly frames: readonly PastedFrame[];
  /** Frames without a file, such as native code. */
  readonly withoutFile: number;
  /** Error messages, the most specific first. */
  readonly messages: readonly string[];
  /** Lines of the text that are neither frames nor quoted source; beside a trace also without what tools print. */
  readonly rest: string;
}

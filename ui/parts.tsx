/** Pieces that several views use. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type CallError, callText, type Fields } from "./api.ts";
import { LONGEST_LINE, startState, type Token, tokenize } from "./highlight.ts";

/** Invisible and direction-changing characters, which could make one text look like another. */
const UNSEEN =
  /[\0-\x08\x0b-\x1f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

export function visible(text: string): string {
  return text.replace(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A branch keeps its name, a commit becomes short. */
export function refName(ref: string): string {
  return visible(/^[0-9a-f]{40,64}$/.test(ref) ? ref.slice(0, 12) : ref);
}

/** A path with its file name emphasized. */
export function Path({ path }: { readonly path: string }) {
  const shown = visible(path);
  const cut = shown.lastIndexOf("/") + 1;
  return (
    <span class="path">
      <span class="dir">{shown.slice(0, cut)}</span>
      {shown.slice(cut)}
    </span>
  );
}

export function Source({ tokens, mark }: { readonly tokens: readonly Token[]; readonly mark?: RegExp | undefined }) {
  const line = mark === undefined ? "" : tokens.map(({ text }) => text).join("");
  const marks = mark === undefined ? [] : [...line.matchAll(mark)].map((found) => [found.index, endOf(found)] as const);
  let start = 0;
  return (
    <>
      {tokens.map(({ kind, text }, at) => {
        const from = start;
        start += text.length;
        return (
          <span key={at} class={`t-${kind}`}>
            {marked(text, from, marks)}
          </span>
        );
      })}
    </>
  );
}

function endOf(found: RegExpExecArray): number {
  return found.index + found[0].length;
}

/** A match may begin in one token and end in another: each token marks its own part. */
function marked(text: string, from: number, marks: readonly (readonly [number, number])[]): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const [start, end] of marks) {
    const [first, last] = [Math.max(start - from, at), Math.min(end - from, text.length)];
    if (first >= last) continue;
    if (first > at) parts.push(visible(text.slice(at, first)));
    parts.push(<mark key={first}>{visible(text.slice(first, last))}</mark>);
    at = last;
  }
  if (at < text.length) parts.push(visible(text.slice(at)));
  return parts;
}

export function markPattern(words: readonly string[]): RegExp | undefined {
  const known = words.filter((word) => word !== "").map((word) => word.replace(/[^\p{L}\p{N}_]/gu, "\\$&"));
  return known.length === 0 ? undefined : new RegExp(known.join("|"), "giu");
}

export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** A few lines of a file. */
export function Excerpt(by: {
  readonly lines: readonly NumberedLine[];
  readonly language: string;
  readonly mark?: RegExp | undefined;
}) {
  const texts = by.lines.map(({ text }) => text);
  let state = startState(texts, by.language);
  const coloured = by.lines.map(({ number, text }) => {
    const line = tokenize(text.slice(0, LONGEST_LINE), by.language, state);
    state = line.state;
    return { number, tokens: line.tokens.reduce(joinPlain, []) };
  });
  return (
    <pre class="excerpt">
      {coloured.map(({ number, tokens }) => (
        <div key={number}>
          <span class="number">{number}</span>
          <code>
            <Source tokens={tokens} mark={by.mark} />
          </code>
        </div>
      ))}
    </pre>
  );
}

/** Names look like plain text here, and most of the time to draw an answer is its number of elements. */
function joinPlain(tokens: Token[], { kind, text }: Token): Token[] {
  const last = tokens.at(-1);
  const isPlain = kind === "name" || kind === "plain";
  if (isPlain && last?.kind === "plain") tokens[tokens.length - 1] = { kind: "plain", text: last.text + text };
  else tokens.push({ kind: isPlain ? "plain" : kind, text });
  return tokens;
}

const BY_ENDING: Readonly<Record<string, string>> = {
  py: "python",
  rb: "ruby",
  sh: "bash",
  bash: "bash",
  ex: "elixir",
  exs: "elixir",
  yml: "yaml",
  yaml: "yaml",
  toml: "toml",
  lua: "lua",
  hs: "haskell",
  sql: "sql",
  html: "html",
  xml: "xml",
  svg: "xml",
  md: "markdown",
  rst: "text",
  txt: "text",
  rs: "rust",
  php: "php",
};

export function languageOf(path: string): string {
  return BY_ENDING[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "c";
}

export function Failure({ error, children }: { readonly error: CallError; readonly children?: ComponentChildren }) {
  const { suggestion, remediation, did_you_mean: near } = error.data;
  const { skipped_reason: skipped } = error.data;
  const hint =
    suggestion ?? (skipped === undefined ? remediation : `It is not indexed: ${String(skipped).replaceAll("_", " ")}.`);
  return (
    <div class="failure" role="alert">
      <p>{visible(error.message)}</p>
      {typeof hint === "string" && <p>{visible(hint)}</p>}
      {Array.isArray(near) && <p>Did you mean: {visible(near.join(", "))}</p>}
      {children}
    </div>
  );
}

/** What qualifies an answer. */
export function Notes({ metadata }: { readonly metadata: Metadata | undefined }) {
  const notes = [...(metadata?.warnings ?? [])];
  if (metadata?.freshness_status === "stale") notes.push("The index is older than the files; it is being updated.");
  if (metadata?.result_completeness === "partial") notes.push("The answer is partial.");
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>{visible(note)}</li>
      ))}
    </ul>
  );
}

export interface Metadata {
  readonly ref?: string;
  readonly freshness_status?: string;
  readonly indexing_status?: string;
  readonly result_completeness?: string;
  readonly warnings?: readonly string[];
  readonly did_you_mean?: readonly string[];
  readonly coverage?: {
    readonly files_indexed: number;
    readonly files_skipped: number;
    readonly skipped_reasons: Readonly<Record<string, number>>;
    readonly without_references?: readonly { readonly language: string; readonly files: number }[];
  };
}

const TOKEN_BUDGETS = [2_000, 4_000, 8_000, 16_000, 32_000];

/** Copies what a tool answers within a number of tokens, as text for a model. */
export function CopyContext({ tool, input, budget = "max_tokens" }: CopyRequest) {
  return (
    <CopyButton
      title="Copy as context"
      hasBudget={budget !== ""}
      read={(tokens) => callText(tool, budget ? { ...input, [budget]: tokens } : input)}
    />
  );
}

interface CopyRequest {
  readonly tool: string;
  readonly input: Fields;
  /** The field that takes the number of tokens; empty: the tool has none. */
  readonly budget?: string;
}

export function CopyButton({
  title,
  hasBudget = true,
  read,
}: {
  readonly title: string;
  readonly hasBudget?: boolean;
  readonly read: (tokens: number) => Promise<string>;
}) {
  const [tokens, setTokens] = useState(4_000);
  const [result, setResult] = useState("");
  const copy = async () => {
    setResult("Copying…");
    try {
      const text = await read(tokens);
      await navigator.clipboard.writeText(text);
      setResult(`Copied ${count(text.length, "character")}`);
    } catch (error) {
      setResult((error as Error).message);
    }
  };
  return (
    <span class="copy">
      <button type="button" onClick={copy}>
        {title}
      </button>
      {hasBudget && (
        <select
          aria-label="Tokens to copy"
          value={tokens}
          onChange={(event) => setTokens(Number(event.currentTarget.value))}
        >
          {TOKEN_BUDGETS.map((budget) => (
            <option key={budget} value={budget}>
              {budget / 1_000}k tokens
            </option>
          ))}
        </select>
      )}
      <span role="status">{result}</span>
    </span>
  );
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

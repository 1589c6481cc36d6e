/** The outline of a file as lines, and what of it is left out first where a budget has no room for all. */
import type { OutlineNode } from "../../model/search.ts";
import { estimateLineTokens, LINE_BUDGET_RESERVE } from "../../text/tokens.ts";
import type { Fields } from "../define.ts";
import { asList, sourceLine, type TextLayout } from "./layouts.ts";
import { type AnswerView, printable } from "./style.ts";

export const outlineLines: TextLayout = ({ symbols, parse_errors: errors }, view) => {
  const nodes = asList(symbols);
  return [
    ...nodeLines(nodes, { ...view, columns: signatureColumns(nodes, view) }, ""),
    ...asList(errors).map((it) => `lines ${it.line_start}-${it.line_end} could not be parsed`),
  ];
};

/** Tokens of an outline for a model that names no budget: of a file of so many lines, and in proportion for a longer one. */
const DEFAULT_TOKENS = { all: 2_000, top: 700 } as const;
const USUAL_LINES = 1_500;

export function outlineBudget(nodes: readonly OutlineNode[], depth: keyof typeof DEFAULT_TOKENS): number {
  const lines = Math.max(0, ...nodes.map(({ symbol }) => symbol.span.lineEnd));
  return Math.ceil(DEFAULT_TOKENS[depth] * Math.max(1, lines / USUAL_LINES));
}

/** Characters of a signature, the first ones whose lines fit. Where none do, the outline shows kinds and names. */
const SIGNATURE_COLUMNS = [120, 96, 80, 64, 56, 48, 40, 32] as const;
const LONGEST_SIGNATURE = SIGNATURE_COLUMNS[0];
const NAMES_ONLY = 0;
/** Tokens of the notes below an outline. */
const NOTES_TOKENS = 70;

/** Signatures of a long outline are cut shorter for a model: the lines are what it reads the file by. */
function signatureColumns(nodes: readonly Fields[], view: AnswerView): number {
  const { maxTokens } = view;
  if (maxTokens === undefined) return Math.min(LONGEST_SIGNATURE, view.columns);
  const room = (maxTokens - NOTES_TOKENS) / LINE_BUDGET_RESERVE;
  const fits = (columns: number) => estimateLineTokens(nodeLines(nodes, { ...view, columns }, "").join("\n")) <= room;
  if (!fits(NAMES_ONLY)) return NAMES_ONLY;
  return SIGNATURE_COLUMNS.find(fits) ?? NAMES_ONLY;
}

function nodeLines(nodes: readonly Fields[], view: AnswerView, prefix: string): string[] {
  return declarations(nodes).flatMap((declared) => {
    const node = declared[0]!;
    const lines = view.style.line(
      node.line_start === node.line_end ? String(node.line_start) : `${node.line_start}-${node.line_end}`,
    );
    const signature = view.columns === NAMES_ONLY ? undefined : node.signature;
    const names = declared.map(({ name }) => String(name));
    const text = printable(namedText(String(signature ?? `${node.kind} ${names.join(", ")}`), names));
    // Names are never cut.
    const columns = signature === undefined ? text.length : Math.max(view.columns, namesEnd(text, names));
    return [
      `${prefix}${lines}  ${sourceLine(text.replaceAll(/\s+/g, " "), { ...view, columns })}`,
      ...nodeLines(asList(node.children), view, `${prefix}  `),
    ];
  });
}

/** Neighbours that one statement declares, as `attr_reader :a, :b` does, are one line. */
function declarations(nodes: readonly Fields[]): Fields[][] {
  const found: Fields[][] = [];
  for (const node of nodes) {
    const before = found.at(-1)?.[0];
    if (before !== undefined && declaresBoth(before, node)) found.at(-1)!.push(node);
    else found.push([node]);
  }
  return found;
}

function declaresBoth(a: Fields, b: Fields): boolean {
  if (a.signature === undefined || asList(a.children).length + asList(b.children).length > 0) return false;
  return a.signature === b.signature && a.line_start === b.line_start && a.line_end === b.line_end;
}

/** A signature is the first line of a statement: names that stand below it are put behind its beginning. */
function namedText(signature: string, names: readonly string[]): string {
  if (names.length === 1 || names.every((name) => signature.includes(name))) return signature;
  const first = signature.indexOf(names[0]!);
  return `${first < 0 ? "" : signature.slice(0, first)}${names.join(", ")}`;
}

function namesEnd(text: string, names: readonly string[]): number {
  return Math.max(...names.map((name) => text.indexOf(name) + name.length + 1));
}

/**
 * The same tree with the `kept` nodes that tell most of a file, in the order of the file. Imports go first, then what is inside
 * functions, fields and variables inside types, and private definitions; of equals, the last ones of the file.
 */
export function mostInformative(nodes: readonly OutlineNode[], kept: number): OutlineNode[] {
  const all = flattened(nodes, 0, false);
  const shown = new Set(
    all
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, kept)
      .map(({ node }) => node),
  );
  const filtered = (some: readonly OutlineNode[]): OutlineNode[] =>
    some.filter((node) => shown.has(node)).map((node) => ({ ...node, children: filtered(node.children) }));
  return filtered(nodes);
}

interface RankedNode {
  readonly node: OutlineNode;
  /** Higher is left out earlier. Never below that of the parent. */
  readonly rank: number;
}

const RANK = { definition: 0, private: 1, field: 2, local: 3, import: 4 } as const;
const FUNCTIONS: ReadonlySet<string> = new Set(["fn", "method"]);
const VALUES: ReadonlySet<string> = new Set(["field", "var", "const"]);

function flattened(nodes: readonly OutlineNode[], least: number, inFunction: boolean, depth = 0): RankedNode[] {
  return nodes.flatMap((node) => {
    const rank = Math.max(least, inFunction ? RANK.local : ownRank(node, depth));
    const inside = flattened(node.children, rank, inFunction || FUNCTIONS.has(node.symbol.kind), depth + 1);
    return [{ node, rank }, ...inside];
  });
}

function ownRank({ symbol: { kind, name, visibility } }: OutlineNode, depth: number): number {
  if (kind === "use") return RANK.import;
  if (depth > 0 && VALUES.has(kind)) return RANK.field;
  const isPrivate = visibility === "private" || /^_(?!_.*__$)/.test(name);
  return isPrivate ? RANK.private : RANK.definition;
}

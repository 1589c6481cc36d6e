/** How likely a file is the one to change: a weighted sum of its signals. */
import type { ScorePart } from "../../model/search.ts";
import { SIGNALS, type Signal, type SignalValues } from "./signals.ts";

/** Learned from commit messages and the files they changed: model-training/localise/train.py. */
const SIGNAL_WEIGHTS: Readonly<Record<Signal, number>> = {
  title_text: 0.36,
  title_text_sum: 0.09,
  text: 0.61,
  text_sum: 0.88,
  code_text: 0.82,
  code_text_sum: 0.73,
  definitions: 0.83,
  qualified_definitions: 1.04,
  module: 0.82,
  quoted_path: 1.52,
  stack_frame: 1.22,
  title_in_path: 0.54,
  path_in_title: 0.15,
  path_in_text: 0.86,
  similarity: 1.88,
  imported_by_likely: 0.36,
  imports_likely: 0.3,
  tested_by_likely: 0.8,
  test: -2.19,
  doc: -1.95,
  example: -0.93,
  data: -1.03,
  entry: -0.11,
  generated: -0.8,
  size: 0.46,
  depth: -0.03,
};

/** Keeps totals in the range of other searches: 1 is a good answer. */
const SCALE = 0.4;

export function fileScore(signals: SignalValues): number {
  let total = 0;
  for (const name of SIGNALS) total += contribution(name, signals);
  return round(total);
}

/** The contributions of all signals that the file has; they add up to its score. */
export function explainFile(signals: SignalValues): ScorePart[] {
  return SIGNALS.filter((name) => signals[name] !== 0).map((name) => ({
    factor: name,
    value: contribution(name, signals),
    reason: `${SIGNAL_REASONS[name]}: ${Math.round(100 * signals[name])} %`,
  }));
}

function contribution(name: Signal, signals: SignalValues): number {
  return round(SCALE * SIGNAL_WEIGHTS[name] * signals[name]);
}

const SIGNAL_REASONS: Readonly<Record<Signal, string>> = {
  title_text: "text score of the title, best chunk, of the best source file's",
  title_text_sum: "text score of the title, best three chunks, of the best source file's",
  text: "text score of the whole issue, best chunk, of the best source file's",
  text_sum: "text score of the whole issue, best three chunks, of the best source file's",
  code_text: "text score of names and code, best chunk, of the best source file's",
  code_text_sum: "text score of names and code, best three chunks, of the best source file's",
  definitions: "defines names of the issue, rare ones weighing more, of the best source file",
  qualified_definitions: "defines dotted names of the issue, of the best source file",
  module: "is a module that the issue names",
  quoted_path: "is a path that the issue quotes",
  stack_frame: "is in the stack trace, the innermost frame weighing most",
  title_in_path: "words of the title in its path, of the best source file",
  path_in_title: "share of its name's words that the title has",
  path_in_text: "words of the issue in its path, of the best source file",
  similarity: "similarity of its closest chunk, from the median file to the closest",
  imported_by_likely: "is imported by likely files",
  imports_likely: "imports likely files",
  tested_by_likely: "is named like a test that holds the words of the issue",
  test: "is a test",
  doc: "is documentation",
  example: "is an example",
  data: "is data or configuration",
  entry: "is a package's entry file",
  generated: "is generated, vendored or a declaration",
  size: "its number of chunks, logarithmic",
  depth: "its directories",
};

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0;
}

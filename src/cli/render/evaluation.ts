/** What `eval` prints: tables of means, what got worse, and why a line is not among the results. */
import type { EvaluationRow, MeanMeasures, Regression, Summary } from "../../evaluate/summary.ts";
import type { WhyNot } from "../../model/search.ts";
import { counted, displayWidth, padToWidth, type Style } from "../../tools/text/style.ts";

const COLUMNS: readonly (readonly [title: string, value: (means: MeanMeasures) => string])[] = [
  ["NDCG@10", ({ ndcg }) => ndcg.toFixed(3)],
  ["MRR", ({ mrr }) => mrr.toFixed(3)],
  ["hit@1", ({ hit1 }) => hit1.toFixed(3)],
  ["hit@5", ({ hit5 }) => hit5.toFixed(3)],
  ["hit@10", ({ hit10 }) => hit10.toFixed(3)],
  ["recall", ({ recall }) => recall.toFixed(3)],
  ["tokens", ({ tokens }) => tokens.toFixed(0)],
  ["queries", ({ queries }) => String(queries)],
];

export function renderSummary(summary: Summary, style: Style): string {
  const { p50, p95, max } = summary.latency;
  const repos = Object.keys(summary.byRepo).length;
  return [
    ...table("", { all: summary.all }, style),
    ...table("by category", summary.byCategory, style),
    ...(Object.keys(summary.byLanguage).length > 1 ? table("by language", summary.byLanguage, style) : []),
    ...(repos > 1 ? table("by repository", summary.byRepo, style) : []),
    `latency: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, max ${max.toFixed(1)} ms`,
    style.dim("tokens: read from the top until the first right result is read; all ten when none is right"),
    "",
  ].join("\n");
}

const MOST_MISSED = 10;

/** Queries without a right result, and how to find out why. */
export function renderMissed(rows: readonly EvaluationRow[]): string {
  const missed = rows.filter(({ measure }) => measure.hit10 === 0);
  if (missed.length === 0) return "";
  const shown = missed.slice(0, MOST_MISSED).map(({ repo, query, targets: [target] }) => {
    const place = target === undefined ? "nothing" : `${target.path}:${target.lines?.start ?? 1}`;
    return `  ${repo === "workspace" ? "" : `${repo}: `}${query}  →  ${place}`;
  });
  const more = missed.length > MOST_MISSED ? [`  and ${missed.length - MOST_MISSED} more`] : [];
  const head = `nothing right among ten results (eval --why-not PATH:LINE "QUESTION" says why):`;
  return `${[head, ...shown, ...more].join("\n")}\n`;
}

function table(title: string, rows: Readonly<Record<string, MeanMeasures>>, style: Style): string[] {
  const width = Math.max(12, ...[title, ...Object.keys(rows)].map(displayWidth));
  const head = `${padToWidth(title, width)}  ${COLUMNS.map(([name]) => name.padStart(7)).join(" ")}`;
  const lines = Object.entries(rows).map(
    ([name, means]) => `${padToWidth(name, width)}  ${COLUMNS.map(([, value]) => value(means).padStart(7)).join(" ")}`,
  );
  return [style.dim(head), ...lines, ""];
}

export function renderComparison(before: Summary, now: Summary, worse: readonly Regression[], style: Style): string {
  const change = now.all.ndcg - before.all.ndcg;
  const lines = [`NDCG@10 ${before.all.ndcg.toFixed(3)} → ${now.all.ndcg.toFixed(3)} (${signed(change)})`];
  for (const { where, metric, before: was, now: is } of worse) {
    lines.push(style.bad(`worse: ${where}: ${metric} ${was.toFixed(3)} → ${is.toFixed(3)} (${signed(is - was)})`));
  }
  if (worse.length === 0) lines.push(style.good("nothing got worse"));
  return `${lines.join("\n")}\n`;
}

function signed(value: number): string {
  return `${value < 0 ? "" : "+"}${value.toFixed(3)}`;
}

export function renderWhyNot(answer: WhyNot, place: string): string {
  return `${whyNotLines(answer, place).join("\n")}\n`;
}

function whyNotLines(answer: WhyNot, place: string): string[] {
  switch (answer.verdict) {
    case "shown":
      return [`${place} is among the results, at rank ${answer.rank}.`];
    case "ranked_lower":
      return [
        `${place} is at rank ${answer.rank}: total ${answer.total.toFixed(3)}, the last result shown has ${answer.lastShownTotal.toFixed(3)}.`,
        ...answer.factors.map(
          ({ factor, value, lastShown, reason }) =>
            `  ${factor.padEnd(18)} ${signed(value)} against ${signed(lastShown)}  ${reason}`,
        ),
      ];
    case "not_retrieved":
      return [
        `${place} is not among the ${counted(answer.pool, "candidate")} that were ranked.`,
        `  words it holds:      ${answer.wordsFound.join(", ") || "none"}`,
        `  words it lacks:      ${answer.wordsMissing.join(", ") || "none"}`,
      ];
    case "no_such_line":
      return [`${place}: the file has ${counted(answer.lineCount, "line")}.`];
    case "not_indexed":
      return [
        `${place} is not indexed${answer.skipped === undefined ? ": there is no such file" : `: ${answer.skipped}`}.`,
      ];
  }
}

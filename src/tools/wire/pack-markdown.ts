/** A packed change as Markdown for a pull request. Text of the repository stands in code only: it cannot speak. */
import type { Diff } from "../../compass/compass.ts";
import type { SymbolChange } from "../../model/changes.ts";
import type { CallSite, LikelyTest } from "../../model/navigation.ts";
import type { Packed } from "./pack.ts";

export interface PackSummary {
  readonly totalCallers: number;
  /** What could not be looked at. */
  readonly warnings: readonly string[];
}

export function packMarkdown(diff: Diff, { changes, callers, tests }: Packed, around: PackSummary): string {
  const left = diff.changes.length - changes.length;
  return [
    `### Symbols changed: ${code(`${diff.baseRef}...${diff.headRef}`)}`,
    `${count(diff.files.length, "file")}, ${count(diff.changes.length, "symbol")} since ${code(diff.mergeBase.slice(0, 12))}`,
    ...changes.map(({ change, code }) => changeText(change, code)),
    ...(left > 0 ? [`… and ${count(left, "more symbol")}.`] : []),
    ...callersText(callers, around.totalCallers),
    ...testsText(tests),
    ...[...diff.warnings, ...around.warnings].map((warning) => `> ${code(warning)}`),
  ].join("\n\n");
}

function changeText(change: SymbolChange, patch: string | undefined): string {
  const shown = (change.after ?? change.before)!;
  const { kind, qualifiedName, span } = shown.symbol;
  const from = change.renamedFrom === undefined ? "" : `, was ${code(change.renamedFrom)}`;
  const place = code(`${shown.path}:${span.lineStart}`);
  const head = `- **${change.change}** ${kind} ${code(qualifiedName)} in ${place}${from}`;
  const body = patch ?? signatures(change);
  return body === "" ? head : `${head}\n\n${indented(fenced(body))}`;
}

function signatures({ before, after }: SymbolChange): string {
  const [old, now] = [before?.symbol.signature, after?.symbol.signature];
  if (old === now) return "";
  return [...(old === undefined ? [] : [`-${old}`]), ...(now === undefined ? [] : [`+${now}`])].join("\n");
}

function callersText(callers: readonly CallSite[], total: number): string[] {
  if (callers.length === 0) return [];
  const lines = callers.map(({ of, path, line, context, from, resolution }) => {
    const unsure = resolution === "name_only" ? " (by name only)" : "";
    const inside = from === undefined ? "" : ` in ${code(from)}`;
    return `- ${code(of)} at ${code(`${path}:${line}`)}${inside}${unsure}: ${code(context.slice(0, 160))}`;
  });
  const shown = callers.length < total ? ` (${callers.length} of ${total})` : "";
  return [`#### Uses of changed signatures${shown}`, lines.join("\n")];
}

const REASONS: Readonly<Record<LikelyTest["reason"], string>> = {
  changed: "changed here",
  named_alike: "named after a changed file",
  uses: "uses",
};

function testsText(tests: readonly LikelyTest[]): string[] {
  if (tests.length === 0) return [];
  const lines = tests.map(({ path, reason, uses }) => {
    const names = uses.slice(0, 5).map(code).join(", ");
    return `- ${code(path)}: ${REASONS[reason]}${reason === "uses" ? ` ${names}` : ""}`;
  });
  return ["#### Likely tests", lines.join("\n")];
}

/** As long as it must be to hold the backticks inside. */
function code(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  const longest = Math.max(0, ...(flat.match(/`+/g) ?? []).map((run) => run.length));
  const tick = "`".repeat(longest + 1);
  return longest === 0 ? `${tick}${flat}${tick}` : `${tick} ${flat} ${tick}`;
}

function fenced(patch: string): string {
  const longest = Math.max(2, ...(patch.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}diff\n${patch}\n${fence}`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

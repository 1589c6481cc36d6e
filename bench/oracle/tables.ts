/** A tally as the tables of docs/references.md. */
import type { Tally } from "./tally.ts";

export const PROJECT_HEAD = `| project | symbols | uses | precision, certain | recall, certain | recall with name_only | phantom rate | of name_only: not confirmed | of a base or override | listed |
|---|---|---|---|---|---|---|---|---|---|`;

export function projectRow(name: string, it: Tally): string {
  const cells = [
    name,
    it.symbols,
    it.truths,
    share(it.sureRight, it.sure),
    share(it.sureRight, it.truths),
    share(it.sureRight + it.nameOnlyRight, it.truths),
    share(it.sure - it.sureRight, it.sure),
    share(it.nameOnly - it.nameOnlyRight, it.nameOnly),
    it.related,
    share(it.relatedListed, it.related),
  ];
  return `| ${cells.join(" | ")} |`;
}

export function kindTables(it: Tally): string {
  const uses = Object.entries(it.byKind)
    .filter(([, row]) => row.truths > 0)
    .map(
      ([kind, row]) => `| ${kind} | ${row.truths} | ${share(row.sure, row.truths)} | ${share(row.any, row.truths)} |`,
    );
  const symbols = Object.entries(it.bySymbol)
    .filter(([, row]) => row.truths + row.wrong > 0)
    .sort(([, a], [, b]) => b.truths - a.truths)
    .map(
      ([kind, row]) =>
        `| ${kind} | ${row.truths} | ${share(row.sure, row.truths)} | ${share(row.any, row.truths)} | ${row.wrong} |`,
    );
  return [
    "| kind of use | uses | recall, certain | recall with name_only |",
    "|---|---|---|---|",
    ...uses,
    "",
    "| kind of symbol | uses | recall, certain | recall with name_only | phantoms |",
    "|---|---|---|---|---|",
    ...symbols,
  ].join("\n");
}

function share(part: number, whole: number): string {
  return whole === 0 ? "–" : (part / whole).toFixed(3);
}

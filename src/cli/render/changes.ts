/** What changed between two refs, for a person: a line for each symbol, signatures where they differ. */
import { counted } from "./counts.ts";
import { printable, type Style } from "./style.ts";

type Fields = Readonly<Record<string, unknown>>;

const SIGNS: Readonly<Record<string, string>> = { added: "+", modified: "~", deleted: "-" };

/** Nothing for an answer that is no comparison. */
export function changeLines(body: Fields, style: Style): string[] {
  if (!Array.isArray(body.changes) || typeof body.merge_base_commit !== "string") return [];
  const changes = body.changes as readonly Fields[];
  const files = (body.file_changes ?? []) as readonly Fields[];
  const named = new Set(changes.map((change) => change.path));
  // A file whose symbols are listed need not be named again.
  const others = files.filter((file) => !named.has(file.path));
  return [
    headLine(body, style),
    ...changes.flatMap((change) => symbolLines(change, style)),
    ...others.map((file) => fileLine(file, style)),
    ...restLine(body, changes.length, style),
  ];
}

function headLine(body: Fields, style: Style): string {
  const { base_ref: base, head_ref: head, affected_files: files, total_changes: symbols } = body;
  const range = `${printable(String(base))}...${printable(String(head))}`;
  const many = `${counted(Number(files), "file")}, ${counted(Number(symbols), "symbol")}`;
  return `${style.name(range)}  ${many} since ${String(body.merge_base_commit).slice(0, 12)}`;
}

function symbolLines(change: Fields, style: Style): string[] {
  const before = change.before as Fields | null;
  const after = change.after as Fields | null;
  const shown = (after ?? before)!;
  const from = change.renamed_from === undefined ? "" : style.dim(`  was ${printable(String(change.renamed_from))}`);
  const place = `${style.path(printable(String(shown.path)))}:${style.line(String(shown.line_start))}`;
  const name = style.name(printable(String(shown.qualified_name)));
  const head = `${changeSign(change, style)} ${place}  ${style.dim(String(shown.kind))} ${name}${from}`;
  const code = change.code === undefined ? signatures(before, after, style) : codeLines(String(change.code), style);
  return [head, ...code];
}

function changeSign(change: Fields, style: Style): string {
  const sign = SIGNS[String(change.change_type)] ?? "?";
  return sign === "+" ? style.good(sign) : sign === "-" ? style.bad(sign) : style.warn(sign);
}

/** Where a signature did not change there is nothing to compare: the body did. */
function signatures(before: Fields | null, after: Fields | null, style: Style): string[] {
  const [old, now] = [before?.signature, after?.signature];
  if (old === undefined || now === undefined || old === now) return [];
  return [style.bad(`    - ${printable(String(old))}`), style.good(`    + ${printable(String(now))}`)];
}

function codeLines(code: string, style: Style): string[] {
  return code.split("\n").map((line) => {
    const text = `    ${printable(line)}`;
    return line.startsWith("+") ? style.good(text) : line.startsWith("-") ? style.bad(text) : text;
  });
}

function fileLine(file: Fields, style: Style): string {
  const from = file.renamed_from === undefined ? "" : style.dim(`  was ${printable(String(file.renamed_from))}`);
  const why = file.not_parsed === undefined ? "" : style.dim(`  (${file.not_parsed})`);
  return `${changeSign(file, style)} ${style.path(printable(String(file.path)))}${from}${why}`;
}

function restLine(body: Fields, shown: number, style: Style): string[] {
  const left = Number(body.total_changes) - shown;
  // Of a pack, which counts callers, tokens are the first thing to run out.
  const lever = body.total_callers === undefined ? "raise --limit" : "raise --pack, or --limit,";
  return left > 0 ? [style.dim(`… ${left} more symbols: ${lever} or narrow with --path-filter`)] : [];
}

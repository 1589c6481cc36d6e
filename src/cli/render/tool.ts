/** A tool's answer for people: one line per result, change, reference or call; everything else as `key: value`. */
import type { Fields } from "../../tools/define.ts";
import { counted, printable, type Style } from "./style.ts";

/** Fields shown only with `--json`. */
const UNREAD = new Set(["metadata", "suggested_next_actions", "results", "symbols"]);

export function renderReply(body: Fields, style: Style): string {
  if (typeof body.markdown === "string") return `${body.markdown}\n`;
  const results = asList(body.results).map((result) => resultLine(result, style));
  const outline = outlineLines(asList(body.symbols), style, "");
  const rest = fieldLines(body, style, "");
  const warnings = answerWarnings(body).map((text) => `${style.warn("warning")}: ${printable(text)}`);
  const shown = [
    ...results,
    ...outline,
    ...changeLines(body, style),
    ...referenceLines(body, style),
    ...navigationLines(body, style),
  ];
  const lines = shown.length > 0 ? shown : rest;
  return [...lines, ...warnings].map((line) => `${line}\n`).join("");
}

function resultLine(result: Fields, style: Style): string {
  const whose = result.workspace === undefined ? "" : `${style.dim(printable(String(result.workspace)))} `;
  const place = `${whose}${style.path(printable(String(result.path ?? result.file)))}:${style.line(String(result.line_start))}`;
  const name = printable(String(result.qualified_name ?? result.name ?? result.breadcrumb ?? ""));
  const what = [style.dim(String(result.kind ?? result.chunk_type ?? "")), style.name(name)]
    .filter((part) => part !== "")
    .join(" ");
  const text = result.body_preview ?? result.signature ?? result.snippet;
  const indented = text === undefined ? "" : `\n${indent(String(text))}`;
  return `${place}${what && `  ${what}`}${indented}`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${printable(line)}`)
    .join("\n");
}

function outlineLines(nodes: readonly Fields[], style: Style, prefix: string): string[] {
  return nodes.flatMap((node) => {
    const lines = style.line(`${node.line_start}-${node.line_end}`);
    const head = printable(String(node.signature ?? `${node.kind} ${node.name}`));
    return [`${prefix}${lines}  ${head}`, ...outlineLines(asList(node.children), style, `${prefix}  `)];
  });
}

function fieldLines(fields: Fields, style: Style, prefix: string): string[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    UNREAD.has(key) && prefix === "" ? [] : fieldLine(key, value, style, prefix),
  );
}

function fieldLine(key: string, value: unknown, style: Style, prefix: string): string[] {
  const label = `${prefix}${style.dim(`${key}:`)}`;
  if (value === null || value === undefined) return [`${label} -`];
  if (Array.isArray(value)) return arrayLines(label, value, style, prefix);
  if (typeof value === "object") return [label, ...fieldLines(value as Fields, style, `${prefix}  `)];
  return [`${label} ${printable(String(value))}`];
}

function arrayLines(label: string, values: readonly unknown[], style: Style, prefix: string): string[] {
  if (values.length === 0) return [`${label} -`];
  if (values.every((value) => typeof value !== "object")) return [`${label} ${printable(values.join(", "))}`];
  const items = values.map((value) => fieldLines(value as Fields, style, `${prefix}    `));
  return [label, ...items.flatMap(([first = "", ...rest]) => [`${prefix}  - ${first.trimStart()}`, ...rest])];
}

function asList(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}

function answerWarnings(body: Fields): string[] {
  const { warnings } = (body.metadata ?? {}) as { warnings?: readonly string[] };
  return [...(warnings ?? [])];
}

const SIGNS: Readonly<Record<string, string>> = { added: "+", modified: "~", deleted: "-" };

/** Nothing for an answer that is no comparison. */
export function changeLines(body: Fields, style: Style): string[] {
  if (!Array.isArray(body.changes) || typeof body.merge_base_commit !== "string") return [];
  const changes = body.changes as readonly Fields[];
  const files = (body.file_changes ?? []) as readonly Fields[];
  const named = new Set(changes.map((change) => change.path));
  // Omit files whose symbols are listed.
  const others = files.filter((file) => !named.has(file.path));
  return [
    comparisonHead(body, style),
    ...changes.flatMap((change) => symbolLines(change, style)),
    ...others.map((file) => fileLine(file, style)),
    ...restLine(body, changes.length, style),
  ];
}

function comparisonHead(body: Fields, style: Style): string {
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
  const code = change.code === undefined ? signatureLines(before, after, style) : codeLines(String(change.code), style);
  return [head, ...code];
}

function changeSign(change: Fields, style: Style): string {
  const sign = SIGNS[String(change.change_type)] ?? "?";
  return sign === "+" ? style.good(sign) : sign === "-" ? style.bad(sign) : style.warn(sign);
}

/** Where a signature did not change there is nothing to compare: the body did. */
function signatureLines(before: Fields | null, after: Fields | null, style: Style): string[] {
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

/** Nothing for answers of other tools. */
function navigationLines(body: Fields, style: Style): string[] {
  if (Array.isArray(body.hierarchy)) return treeLines(body.hierarchy as Fields[], style, "");
  if (Array.isArray(body.related)) return relatedLines(body, style);
  if (Array.isArray(body.context_items)) return contextLines(body, style);
  if (Array.isArray(body.edges)) return graphLines(body, style);
  return Array.isArray(body.affected) ? impactLines(body, style) : [];
}

function treeLines(nodes: readonly Fields[], style: Style, prefix: string): string[] {
  return nodes.flatMap((node) => {
    const indent = prefix === "" && !Array.isArray(node.children) ? "  ".repeat(Number(node.depth)) : prefix;
    const inside = treeLines((node.children ?? []) as Fields[], style, `${prefix}  `);
    return [`${indent}${nameText(node, style)}  ${locationText(node, style)}`, ...inside];
  });
}

function relatedLines(body: Fields, style: Style): string[] {
  const rows = (body.related as Fields[]).map(
    (it) => `${locationText(it, style)}  ${nameText(it, style)}  ${style.dim(String(it.relation))}`,
  );
  const head = `${nameText((body.anchor ?? {}) as Fields, style)}  ${body.total_found} related in its ${body.scope_used}`;
  return [head, ...rows];
}

function contextLines(body: Fields, style: Style): string[] {
  return (body.context_items as Fields[]).flatMap((it) => {
    const head = `${locationText(it, style)}  ${nameText(it, style)}`;
    const text = String(it.body ?? it.signature ?? "");
    return [head, ...(text === "" ? [] : text.split("\n").map((line) => `    ${printable(line)}`))];
  });
}

/** One line per call: caller, callee, location, and a mark if only the name matches. */
function graphLines(body: Fields, style: Style): string[] {
  const all = [(body.root ?? {}) as Fields, ...(body.nodes as Fields[])];
  const names = new Map(all.map((it) => [it.symbol_id, printable(String(it.qualified_name))]));
  const edges = (body.edges as Fields[]).map((it) => {
    const to = it.to === undefined ? printable(String(it.name)) : (names.get(it.to) ?? "?");
    const sure = it.resolution === "name_only" ? style.warn("same name only") : style.dim(String(it.resolution));
    return `${locationText(it, style)}  ${style.name(names.get(it.from) ?? "?")} → ${style.name(to)}  ${sure}`;
  });
  return [`${nameText((body.root ?? {}) as Fields, style)}  ${body.total_edges} calls`, ...edges];
}

function impactLines(body: Fields, style: Style): string[] {
  const rows = (body.affected as Fields[]).map((it) => {
    const sure = it.resolution === "name_only" ? `  ${style.warn("same name only")}` : "";
    return `${locationText(it, style)}  ${nameText(it, style)}  ${style.dim(`${it.edge_type}, ${it.distance} away`)}${sure}\n    ${printable(String(it.context))}`;
  });
  const tests = ((body.likely_tests ?? []) as Fields[]).map(
    (it) => `${style.dim("test")}  ${style.path(printable(String(it.path)))}  ${style.dim(String(it.reason))}`,
  );
  return [`${body.total_changed} changed, ${body.total_affected} affected`, ...rows, ...tests];
}

function locationText(it: Fields, style: Style): string {
  return `${style.path(printable(String(it.path)))}:${style.line(String(it.line_start))}`;
}

function nameText(it: Fields, style: Style): string {
  return `${style.dim(String(it.kind ?? ""))} ${style.name(printable(String(it.qualified_name ?? it.name ?? "")))}`.trim();
}

/** Nothing for an answer that lists no references. */
function referenceLines(body: Fields, style: Style): string[] {
  if (!Array.isArray(body.references) || typeof body.total_references !== "number") return [];
  const all = body.references as readonly Fields[];
  const sure = all.filter((it) => it.resolution !== "name_only");
  const named = all.filter((it) => it.resolution === "name_only");
  const heading = named.length === 0 ? [] : [style.dim("same name, not bound:")];
  return [
    referencesHead(body, style),
    ...sure.map((it) => referenceLine(it, style)),
    ...heading,
    ...named.map((it) => referenceLine(it, style)),
  ];
}

function referencesHead(body: Fields, style: Style): string {
  const symbol = (body.symbol ?? {}) as Fields;
  const { certain_references: sure, name_only_references: named } = body;
  const place = `${style.path(printable(String(symbol.path)))}:${style.line(String(symbol.line_start))}`;
  const counted = `${sure} uses${Number(named) > 0 ? `, ${named} more of the same name` : ""}`;
  return `${place}  ${style.dim(String(symbol.kind))} ${style.name(printable(String(symbol.qualified_name)))}  ${counted}`;
}

function referenceLine(it: Fields, style: Style): string {
  const place = `${style.path(printable(String(it.path)))}:${style.line(String(it.line_start))}`;
  return `${place}  ${style.dim(String(it.edge_type))}  ${printable(String(it.context))}`;
}

/** The lines of text answers: one per result, reference, call or change, each with an address that other tools accept. */
import { estimateLineTokens } from "../../text/tokens.ts";
import type { Fields } from "../define.ts";
import { dedent, highlight } from "./excerpt.ts";
import { paintSource } from "./paint.ts";
import { type AnswerView, counted, cutToWidth, PLAIN, printable } from "./style.ts";

export type TextLayout = (body: Fields, view: AnswerView) => string[];

export function asList(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}

/** `path:line`; a file is read under the name that the reader uses. */
export function address(it: Fields, { style, shownPath, link }: AnswerView): string {
  const path = String(it.path ?? it.file);
  const shown = `${style.path(printable(shownPath(path)))}:${style.line(String(it.line_start))}`;
  if (it.workspace !== undefined) return `${style.dim(printable(String(it.workspace)))} ${shown}`;
  return link === undefined ? shown : link(shown, path, Number(it.line_start));
}

function shownName(it: Fields, { terse }: AnswerView): string {
  const whole = String(it.qualified_name ?? it.name ?? it.breadcrumb ?? "");
  return printable(terse === true ? nameInFile(whole, String(it.path ?? it.file ?? "")) : whole);
}

function nameText(it: Fields, view: AnswerView): string {
  const { style } = view;
  const name = shownName(it, view);
  const kind = it.kind ?? (it.chunk_type === "text" ? undefined : it.chunk_type);
  return [kind === undefined ? "" : style.dim(String(kind)), style.name(name)].filter((part) => part !== "").join(" ");
}

/** A qualified name without the packages and the module that the path beside it names. Types keep their names. */
export function nameInFile(qualifiedName: string, path: string): string {
  const segments = path.replace(/\.[^./]*$/, "").split("/");
  const parts = [...qualifiedName.matchAll(/([a-z_][\w-]*)(?:\.|::|\\)(?=[\p{L}_])/guy)];
  for (let count = Math.min(parts.length, segments.length); count > 0; count--) {
    const named = parts.slice(0, count).map(([, name]) => name!);
    if (isAmongEnds(named, segments)) return qualifiedName.slice(parts[count - 1]!.index + parts[count - 1]![0].length);
  }
  return qualifiedName;
}

/** Whether the path, or its directory, ends with these names. */
function isAmongEnds(names: readonly string[], segments: readonly string[]): boolean {
  const wanted = names.join("/");
  return [segments, segments.slice(0, -1)].some((it) => it.slice(-names.length).join("/") === wanted);
}

function headLine(it: Fields, view: AnswerView, more = ""): string {
  return [address(it, view), scoreText(it, view), nameText(it, view), more].filter((part) => part !== "").join("  ");
}

/** The number that the JSON answer has. */
function scoreText({ score }: Fields, { style, scores }: AnswerView): string {
  return scores === true && typeof score === "number" ? style.dim(score.toFixed(4)) : "";
}

export function sourceLine(text: string, { style, columns, words }: AnswerView): string {
  const code = cutToWidth(printable(text), columns).trimEnd();
  if (style === PLAIN) return code;
  return paintSource(code, style, (part, paint) => highlight(part, words, style, paint));
}

function indented(text: string, view: AnswerView): string[] {
  return text.split("\n").map((line) => `    ${sourceLine(line, view)}`.trimEnd());
}

/** Results of a search: files in the order of their best hit, hits of a file together. */
export const resultLines: TextLayout = (body, view) => {
  const groups = Map.groupBy(asList(body.results), (it) => `${it.workspace ?? ""}\0${it.path ?? it.file}`);
  const shown = [...groups.values()].map((group) => group.flatMap((it) => resultText(it, view)));
  const lines = shown.flatMap((one, index) => (index > 0 && one.length > 1 ? ["", ...one] : one));
  return [...lines, ...textMatchLines(body, view, "same text, in languages without symbols:")];
};

function resultText(result: Fields, view: AnswerView): string[] {
  const head = headLine(result, view);
  if (Array.isArray(result.lines)) return [head, ...numbered(asList(result.lines), view)];
  const text = result.body_preview ?? result.signature;
  if (text !== undefined) return [head, ...indented(String(text), view)];
  return [head, ...indented(withoutMargins(String(result.snippet ?? "")), view)].filter((line) => line !== "");
}

/** A snippet begins and ends anywhere: without blank lines at either end, and without the indent that all lines share. */
function withoutMargins(snippet: string): string {
  return dedent(
    snippet
      .replace(/^(?:[^\S\n]*\n)+/, "")
      .trimEnd()
      .split("\n"),
  ).join("\n");
}

/** Source with the number of each line. */
function numbered(lines: readonly Fields[], view: AnswerView): string[] {
  const width = String(lines.at(-1)?.number ?? "").length;
  return lines.map(({ number, text }) =>
    `  ${view.style.line(String(number).padStart(width))}  ${sourceLine(String(text), view)}`.trimEnd(),
  );
}

/** Matching lines as ripgrep prints them, each line of a file once. */
export const matchLines: TextLayout = ({ results }, view) => {
  const groups = Map.groupBy(asList(results), (it) => `${it.workspace ?? ""}\0${it.file}`);
  return [...groups.values()].flatMap((hits) => {
    const lines = new Map<number, string>();
    const matched = new Set(hits.map((hit) => Number(hit.line_start)));
    for (const hit of hits) {
      const start = Number(hit.snippet_start ?? hit.line_start);
      for (const [at, text] of String(hit.snippet ?? "")
        .split("\n")
        .entries()) {
        if (!lines.has(start + at)) lines.set(start + at, text);
      }
    }
    const head = address({ ...hits[0], line_start: "" }, view).slice(0, -1);
    const shown = [...lines]
      .sort(([a], [b]) => a - b)
      .map(([number, text]) => {
        const mark = matched.has(number) ? ":" : "-";
        return `  ${view.style.line(String(number))}${mark} ${sourceLine(text, view)}`.trimEnd();
      });
    return [head, ...shown];
  });
};

/** Uses of one symbol, or of each candidate of an ambiguous name. Many uses are cut shorter for a model. */
export const referenceLines: TextLayout = (body, view) => {
  if (view.terse !== true) return useLines(body, view);
  const sites = [body, ...asList(body.candidates)].reduce((sum, one) => sum + asList(one.references).length, 0);
  const room = SITES_TOKENS * Math.max(1, sites / USUAL_SITES);
  const fits = (columns: number) => estimateLineTokens(useLines(body, { ...view, columns }).join("\n")) <= room;
  return useLines(body, { ...view, columns: SITE_COLUMNS.find(fits) ?? SITE_COLUMNS.at(-1)! });
};

/** Tokens of a list of so many uses, and in proportion for more; columns of their lines, the first ones that fit. */
const SITES_TOKENS = 400;
const USUAL_SITES = 20;
const SITE_COLUMNS = [72, 64, 56, 48, 40, 32, 24] as const;

const useLines: TextLayout = (body, view) => {
  if (body.candidates !== undefined) return candidateLines(withUnboundOnce(body), view, useLines);
  const all = asList(body.references);
  const group = (heading: string, rows: readonly Fields[], more?: (it: Fields) => string) =>
    rows.length === 0 ? [] : [view.style.dim(heading), ...siteLines(rows, view, more)];
  const unsure = all.filter((it) => it.resolution === "name_only");
  const bound = all.filter((it) => it.resolution !== "name_only");
  return [
    referencesHead(body, view),
    ...siteLines(
      bound.filter((it) => it.connection === undefined),
      view,
    ),
    ...group(
      "same key, not bound:",
      bound.filter((it) => it.connection !== undefined),
      connectionText,
    ),
    ...group("of a base or an override, may be meant:", unsure.filter(isRelated)),
    ...group(
      "same name, not bound:",
      unsure.filter((it) => !isRelated(it)),
    ),
    ...textMatchLines(body, view, MAYBE_USES),
  ];
};

/** The key, what serves it, and whether the two sides write it alike. */
function connectionText({ connection, resolution }: Fields): string {
  const { key, handler } = (connection ?? {}) as Fields;
  const served = (handler ?? {}) as Fields;
  const by = served.qualified_name === undefined ? "" : ` → ${served.qualified_name}`;
  return `  ${printable(`${key}${by}`)}${resolution === "partial_key" ? " (part of the key)" : ""}`;
}

/** A use that is bound to no symbol may mean each candidate; it is shown under the first one. */
function withUnboundOnce(body: Fields): Fields {
  const shown = new Set<string>();
  const isNew = (it: Fields) => {
    const key = `${it.path}:${it.line_start}`;
    const known = it.resolution === "name_only" && shown.has(key);
    shown.add(key);
    return !known;
  };
  const candidates = asList(body.candidates).map((one) => ({
    ...one,
    references: asList(one.references).filter(isNew),
  }));
  return { ...body, candidates };
}

/** `path:line  calls  source`; where it should be terse, `  :line  source` for a further call in the file. */
function siteLines(sites: readonly Fields[], view: AnswerView, more = (_: Fields) => ""): string[] {
  return sites.map((it, at) => {
    const repeated = view.terse === true && it.path === sites[at - 1]?.path;
    const where = repeated ? `  :${it.line_start}` : address(it, view);
    const kind = view.terse === true && it.edge_type === "calls" ? [] : [view.style.dim(String(it.edge_type))];
    const source = sourceLine(String(it.context), view);
    return `${[where, ...kind, source].join("  ")}${view.style.dim(more(it))}`;
  });
}

function isRelated({ via }: Fields): boolean {
  return via !== undefined;
}

function referencesHead(body: Fields, view: AnswerView): string {
  const { certain_references: sure, name_only_references: named, possible_references: possible } = body;
  const connected = body.connection_references === undefined ? "" : `, ${body.connection_references} by the same key`;
  const related = possible === undefined ? "" : `, ${possible} of a base or an override`;
  const compiled = body.compiler_references === undefined ? "" : ` (${body.compiler_references} by a compiler)`;
  const counts = `${counted(Number(sure), "use")}${compiled}${connected}${related}${Number(named) > 0 ? `, ${named} more of the same name` : ""}`;
  return headLine((body.symbol ?? {}) as Fields, view, counts);
}

const MAYBE_USES = "same text, may be uses:";

/** Lines that hold a name and are not bound. */
function textMatchLines({ text_matches: matches }: Fields, view: AnswerView, heading: string): string[] {
  const rows = asList(matches).map((it) => `${address(it, view)}  ${sourceLine(String(it.context ?? ""), view)}`);
  return rows.length === 0 ? [] : [view.style.dim(heading), ...rows];
}

function candidateLines(body: Fields, view: AnswerView, layout: TextLayout): string[] {
  const all = asList(body.candidates);
  const head = `${body.candidate_count} symbols have this name; pass path:line of one to see only its answer.`;
  return [head, ...all.flatMap((one) => ["", ...layout(one, view)])];
}

/** Changed files without a changed symbol that are named. */
const MOST_FILES = 20;

const SIGNS: Readonly<Record<string, string>> = { added: "+", modified: "~", deleted: "-" };

export const changeLines: TextLayout = (body, view) => {
  if (typeof body.markdown === "string") return [body.markdown];
  const changes = asList(body.changes);
  const named = new Set(changes.map((change) => change.path));
  // Omit files whose symbols are listed.
  const others = asList(body.file_changes).filter((file) => !named.has(file.path));
  const groups = Map.groupBy(changes, (change) => String(change.path));
  return [
    comparisonHead(body, view),
    ...[...groups.values()].flatMap((group) => group.flatMap((change, at) => symbolLines(change, view, at))),
    ...others.slice(0, MOST_FILES).map((file) => fileLine(file, view)),
    ...(others.length > MOST_FILES ? [`… ${others.length - MOST_FILES} more files`] : []),
    ...asList(body.callers).map((it) => callerLine(it, view)),
    ...testLines(body, view),
    ...restLine(body, changes.length, view),
  ];
};

function comparisonHead(body: Fields, { style }: AnswerView): string {
  const { base_ref: base, head_ref: head, affected_files: files, total_changes: symbols } = body;
  const range = `${printable(String(base))}...${printable(String(head))}`;
  const many = `${counted(Number(files), "file")}, ${counted(Number(symbols), "symbol")}`;
  return `${style.name(range)}  ${many} since ${String(body.merge_base_commit).slice(0, 12)}`;
}

/** A further symbol of a file is `:line`, where the answer should be terse. */
function symbolLines(change: Fields, view: AnswerView, position: number): string[] {
  const before = change.before as Fields | null;
  const after = change.after as Fields | null;
  const from = change.renamed_from === undefined ? "" : view.style.dim(`was ${printable(String(change.renamed_from))}`);
  const shown = (after ?? before)!;
  const where = view.terse === true && position > 0 ? `:${shown.line_start}` : address(shown, view);
  const head = [`${changeSign(change, view)} ${where}`, nameText(shown, view), from]
    .filter((part) => part !== "")
    .join("  ");
  const code = change.code === undefined ? signatureLines(before, after, view) : codeLines(String(change.code), view);
  return [head, ...code];
}

function changeSign(change: Fields, { style }: AnswerView): string {
  const sign = SIGNS[String(change.change_type)] ?? "?";
  return sign === "+" ? style.good(sign) : sign === "-" ? style.bad(sign) : style.warn(sign);
}

/** Where a signature did not change there is nothing to compare: the body did. */
function signatureLines(before: Fields | null, after: Fields | null, view: AnswerView): string[] {
  const [old, now] = [before?.signature, after?.signature];
  if (old === undefined || now === undefined || old === now) return [];
  const { style, terse } = view;
  const both = [String(old), String(now)] as const;
  const isLong = terse === true && both.some((text) => text.length > WHOLE_SIGNATURE);
  const [from, to] = isLong ? differingParts(...both) : both;
  const shown = isLong ? { ...view, columns: DIFFERENCE_COLUMNS } : view;
  return [style.bad(`    - ${sourceLine(from, shown)}`), style.good(`    + ${sourceLine(to, shown)}`)];
}

/** Signatures up to this length are shown whole; a shorter beginning or end that both have is not worth its mark. */
const WHOLE_SIGNATURE = 48;
const SHORTEST_LEFT_OUT = 12;
/** Columns of what differs. */
const DIFFERENCE_COLUMNS = 60;

/** Two signatures from the parameter in which they begin to differ to the word in which they cease to. */
function differingParts(a: string, b: string): [string, string] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  start = a.slice(0, start).search(/(?! )[^,(]*$/);
  const rest = a.slice(a.length - end).search(/[\s,)]/);
  end = rest < 0 ? 0 : end - rest;
  const head = start < SHORTEST_LEFT_OUT ? 0 : start;
  const tail = end < SHORTEST_LEFT_OUT ? 0 : end;
  const part = (text: string) => `${head > 0 ? "…" : ""}${text.slice(head, text.length - tail)}${tail > 0 ? "…" : ""}`;
  return [part(a), part(b)];
}

function codeLines(code: string, { style }: AnswerView): string[] {
  return code.split("\n").map((line) => {
    const text = `    ${printable(line)}`;
    return line.startsWith("+") ? style.good(text) : line.startsWith("-") ? style.bad(text) : text;
  });
}

function fileLine(file: Fields, view: AnswerView): string {
  const { style } = view;
  const from = file.renamed_from === undefined ? "" : style.dim(`  was ${printable(String(file.renamed_from))}`);
  const why = file.not_parsed === undefined ? "" : style.dim(`  (${file.not_parsed})`);
  return `${changeSign(file, view)} ${style.path(printable(view.shownPath(String(file.path))))}${from}${why}`;
}

function callerLine(it: Fields, view: AnswerView): string {
  const sure = it.resolution === "name_only" ? view.style.warn("  same name only") : "";
  return `${address(it, view)}  uses ${printable(String(it.of))}${sure}\n    ${sourceLine(String(it.context), view)}`;
}

function testLines({ likely_tests: tests }: Fields, { style, shownPath }: AnswerView): string[] {
  return asList(tests).map(
    (it) =>
      `${style.dim("test")}  ${style.path(printable(shownPath(String(it.path))))}  ${style.dim(String(it.reason).replaceAll("_", " "))}`,
  );
}

function restLine(body: Fields, shown: number, { style }: AnswerView): string[] {
  const left = Number(body.total_changes) - shown;
  // Of a pack, which counts callers, tokens are the first thing to run out.
  const lever = body.total_callers === undefined ? "raise limit" : "raise pack, or limit,";
  return left > 0 ? [style.dim(`… ${left} more symbols: ${lever} or narrow with path_filter`)] : [];
}

export const hierarchyLines: TextLayout = (body, view) => [
  ...treeLines(asList(body.hierarchy), view, ""),
  ...asList(body.inheritance).map((it) =>
    headLine(it, view, view.style.dim(body.direction === "ancestors" ? "base" : "override")),
  ),
];

function treeLines(nodes: readonly Fields[], view: AnswerView, prefix: string): string[] {
  return nodes.flatMap((node) => {
    const indent = prefix === "" && !Array.isArray(node.children) ? "  ".repeat(Number(node.depth)) : prefix;
    const inside = treeLines(asList(node.children), view, `${prefix}  `);
    return [`${indent}${nameText(node, view)}  ${address(node, view)}`, ...inside];
  });
}

export const relatedLines: TextLayout = (body, view) => [
  headLine((body.anchor ?? {}) as Fields, view, `${body.total_found} related in its ${body.scope_used}`),
  ...asList(body.related).map((it) => headLine(it, view, view.style.dim(String(it.relation)))),
];

export const contextLines: TextLayout = (body, view) =>
  asList(body.context_items).flatMap((it) => {
    const why = it.role === undefined ? "" : view.style.dim(String(it.role).replaceAll("_", " "));
    const text = String(it.body ?? it.signature ?? "");
    return [headLine(it, view, why), ...(text === "" ? [] : indented(text, view))];
  });

/** One line per call: caller, callee, location, and a mark if only the name matches. */
export const graphLines: TextLayout = (body, view) => {
  if (body.candidates !== undefined) return candidateLines(body, view, graphLines);
  const { style } = view;
  const root = (body.root ?? {}) as Fields;
  const names = new Map([root, ...asList(body.nodes)].map((it) => [it.symbol_id, shownName(it, view)]));
  let path: unknown;
  const edges = asList(body.edges).map((it) => {
    const where = view.terse === true && it.path === path ? `  :${it.line_start}` : address(it, view);
    path = it.path;
    const to = it.to === undefined ? printable(String(it.name)) : (names.get(it.to) ?? "?");
    const unsure =
      it.resolution === "name_only" ? "  same name only" : it.possible === true ? "  possible override" : "";
    const beyond = it.beyond_connection === true ? style.dim("  beyond a key") : "";
    const { kind, key } = (it.connection ?? {}) as Fields;
    const sure = key === undefined ? style.warn(unsure) : style.dim(`  ${kind} ${printable(String(key))}`);
    const compiled = it.resolution === "compiler" ? style.dim("  by a compiler") : "";
    return `${where}  ${style.name(names.get(it.from) ?? "?")} → ${style.name(to)}${sure}${compiled}${beyond}`;
  });
  const calls = counted(Number(body.total_edges), "call");
  return [
    headLine(root, view, calls),
    // Overloads have one name.
    ...new Set(edges),
    ...unfollowedLine(body, view),
    ...textMatchLines(body, view, MAYBE_USES),
  ];
};

function unfollowedLine({ unexpanded_nodes: unfollowed }: Fields, { style }: AnswerView): string[] {
  if (unfollowed === undefined) return [];
  return [style.dim(`… the calls of ${counted(Number(unfollowed), "more symbol")} were not followed`)];
}

export const impactLines: TextLayout = (body, view) => {
  if (body.candidates !== undefined) return candidateLines(body, view, impactLines);
  const { style } = view;
  const changed = asList(body.changed).map(
    (it) =>
      `${style.name(printable(String(it.qualified_name)))}  ${style.path(printable(view.shownPath(String(it.path))))}`,
  );
  const rows = asList(body.affected).map((it) => {
    const doubt = it.possible === true ? "through a base or an override" : "same name only";
    const sure = it.resolution === "name_only" ? `  ${style.warn(doubt)}` : "";
    const how = style.dim(`${it.edge_type}, ${it.distance} away`);
    const beyond = it.beyond_connection === true ? style.dim("  beyond a key") : "";
    return `${headLine(it, view, `${how}${sure}${beyond}`)}\n    ${sourceLine(String(it.context), view)}`;
  });
  const head = `${body.total_changed} changed, ${body.total_affected} affected`;
  return [head, ...changed, ...rows, ...testLines(body, view), ...textMatchLines(body, view, MAYBE_USES)];
};

/** Each symbol with its lines, then what the counts leave open. */
export const unusedLines: TextLayout = (body, view) => {
  const { style } = view;
  const rows = asList(body.symbols).map((it) => {
    const why = it.reason === undefined ? "" : style.warn(`unknown: ${String(it.reason).replaceAll("_", " ")}`);
    const lines = counted(Number(it.line_end) - Number(it.line_start) + 1, "line");
    return headLine(it, view, [style.dim(lines), why].filter((part) => part !== "").join("  "));
  });
  const reasons = Object.entries((body.unknown_by_reason ?? {}) as Fields).map(
    ([reason, many]) => `${many} ${reason.replaceAll("_", " ")}`,
  );
  const why = reasons.length > 0 ? ` (${reasons.join(", ")})` : "";
  const head = `${body.unused} unused of ${body.checked} checked; ${body.possibly_used} possibly used, ${body.unknown} unknown${why}`;
  return [...rows, head];
};

/** What the layouts above do not show of an answer. */
const UNREAD = new Set(["metadata", "suggested_next_actions"]);

/** Every field as `name: value`. */
export const fieldLines: TextLayout = (body, view) =>
  Object.entries(body).flatMap(([key, value]) => (UNREAD.has(key) ? [] : fieldLine(key, value, view, "")));

function fieldLine(key: string, value: unknown, view: AnswerView, prefix: string): string[] {
  const label = `${prefix}${view.style.dim(`${key}:`)}`;
  if (value === null || value === undefined) return [`${label} -`];
  if (Array.isArray(value)) return arrayLines(label, value, view, prefix);
  if (typeof value !== "object") return [`${label} ${printable(String(value))}`];
  return [label, ...nestedLines(value as Fields, view, `${prefix}  `)];
}

function nestedLines(fields: Fields, view: AnswerView, prefix: string): string[] {
  return Object.entries(fields).flatMap(([key, value]) => fieldLine(key, value, view, prefix));
}

function arrayLines(label: string, values: readonly unknown[], view: AnswerView, prefix: string): string[] {
  if (values.length === 0) return [`${label} -`];
  if (values.every((value) => typeof value !== "object")) return [`${label} ${printable(values.join(", "))}`];
  const items = values.map((value) => nestedLines(value as Fields, view, `${prefix}    `));
  return [label, ...items.flatMap(([first = "", ...rest]) => [`${prefix}  - ${first.trimStart()}`, ...rest])];
}

/** Trees, neighbours, calls and what a change reaches, for a person: a line for each symbol. */
import { printable, type Style } from "./style.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Nothing for answers of other tools. */
export function navigationLines(body: Fields, style: Style): string[] {
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

/** One line for each call: who, whom, where, and a mark where only the name is shared. */
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

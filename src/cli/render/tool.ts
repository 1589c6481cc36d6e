/** A tool's answer for a person: results and outlines as lines, everything else as `key: value`. */
import { changeLines } from "./changes.ts";
import { navigationLines } from "./navigation.ts";
import { referenceLines } from "./references.ts";
import { printable, type Style } from "./style.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Kept for `--json`: handles and bookkeeping that a person does not read. */
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

/** Uses of a symbol, for a person: a line for each site, and those that merely share the name apart. */
import { printable, type Style } from "./style.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Nothing for an answer that lists no references. */
export function referenceLines(body: Fields, style: Style): string[] {
  if (!Array.isArray(body.references) || typeof body.total_references !== "number") return [];
  const all = body.references as readonly Fields[];
  const sure = all.filter((it) => it.resolution !== "name_only");
  const named = all.filter((it) => it.resolution === "name_only");
  const heading = named.length === 0 ? [] : [style.dim("same name, not bound:")];
  return [
    headLine(body, style),
    ...sure.map((it) => line(it, style)),
    ...heading,
    ...named.map((it) => line(it, style)),
  ];
}

function headLine(body: Fields, style: Style): string {
  const symbol = (body.symbol ?? {}) as Fields;
  const { certain_references: sure, name_only_references: named } = body;
  const place = `${style.path(printable(String(symbol.path)))}:${style.line(String(symbol.line_start))}`;
  const counted = `${sure} uses${Number(named) > 0 ? `, ${named} more of the same name` : ""}`;
  return `${place}  ${style.dim(String(symbol.kind))} ${style.name(printable(String(symbol.qualified_name)))}  ${counted}`;
}

function line(it: Fields, style: Style): string {
  const place = `${style.path(printable(String(it.path)))}:${style.line(String(it.line_start))}`;
  return `${place}  ${style.dim(String(it.edge_type))}  ${printable(String(it.context))}`;
}

/** The symbols of a file as binding needs them: what they hold, give and take, and the fields of types. */
import type { Expression, FactDefinition, Facts } from "../model/edges.ts";
import type { FactExpressions } from "./fact-expressions.ts";
import type { FileNames } from "./fact-names.ts";
import type { FactInput } from "./fact-source.ts";

export function readDefinitions(it: FactInput, names: FileNames, expressions: FactExpressions): FactDefinition[] {
  const params = parameters(it, names, expressions);
  const types = declaredTypes(it, names, expressions);
  return it.symbols.map(({ name, kind, parent }, index) => {
    const type = types.get(index);
    const scope = names.scopeOf.get(index);
    const takes = params.get(index);
    return {
      name,
      kind,
      parent: parent ?? -1,
      ...(type !== undefined && { type }),
      ...(scope !== undefined && { scope }),
      ...(takes?.some((one) => one !== "") && { params: takes }),
    };
  });
}

/** What is declared counts before what is returned. */
function declaredTypes({ raw }: FactInput, names: FileNames, expressions: FactExpressions): Map<number, Expression> {
  const types = new Map<number, Expression>(expressions.results);
  const note = (symbol: number | undefined, type: Expression | undefined) => {
    if (symbol !== undefined && type && !types.has(symbol)) types.set(symbol, type);
  };
  for (const typed of [...raw.locals, ...raw.fields]) {
    const symbol = names.symbolAt(typed.at);
    if (symbol !== undefined) note(symbol, expressions.typeOf(typed));
  }
  for (const { start, end } of raw.returns) note(names.functionOf(start), expressions.chainAt(start, end));
  return types;
}

/** What each function takes, by position. */
function parameters({ raw }: FactInput, names: FileNames, expressions: FactExpressions): Map<number, Expression[]> {
  const params = new Map<number, Expression[]>();
  for (const param of raw.params.toSorted((a, b) => a.at - b.at)) {
    const symbol = names.functionOf(param.at);
    if (symbol === undefined) continue;
    const written = expressions.typeOf(param) ?? "";
    // What a type parameter stands for is told by what is handed over.
    const type = param.type && written.startsWith("#") ? "" : written;
    const known = params.get(symbol) ?? [];
    known.push(param.rest && type !== "" ? `…${type}` : type);
    params.set(symbol, known);
  }
  return params;
}

export function readFields({ raw }: FactInput, names: FileNames, expressions: FactExpressions): Facts["fields"] {
  return raw.fields.flatMap((field) => {
    const type = expressions.typeOf(field);
    const owner = names.typeAround(field.at);
    // A type parameter of a call signature stands for what is handed over.
    if (field.name.startsWith("~") && type?.startsWith("#")) return [];
    return type && owner !== undefined ? [{ owner, name: field.name, type }] : [];
  });
}

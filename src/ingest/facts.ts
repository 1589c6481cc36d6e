/**
 * Reads the facts of a file from the captures of its language's `edges.scm`: imports, uses of names with what they mean
 * by the file's own scopes, and what can be known of the values they are used on. Nothing outside the file is looked at.
 */
import type { Facts, ImportFact } from "../model/edges.ts";
import { collectEdges } from "./edge-captures.ts";
import { readDefinitions, readFields } from "./fact-definitions.ts";
import { FactExpressions } from "./fact-expressions.ts";
import { FileNames } from "./fact-names.ts";
import { factSites } from "./fact-sites.ts";
import { type FactSource, lineAndColumn } from "./fact-source.ts";
import { packSites } from "./sites.ts";

export function extractFacts({ language, ...source }: FactSource): Facts | undefined {
  const { edges } = language;
  if (edges === undefined) return undefined;
  const raw = collectEdges(source.edges, source.text, edges);
  const it = { ...source, raw, edges };
  const names = new FileNames(it);
  const expressions = new FactExpressions(it, names);
  const sites = factSites(it, names, expressions);
  const definitions = readDefinitions(it, names, expressions);
  const fields = readFields(it, names, expressions);
  const locals = names.locals.map((local) => expressions.typeOf(local) ?? "");
  const imports = raw.imports.map(({ at, ...rest }): ImportFact => ({ ...rest, ...lineAndColumn(at, it.lineStarts) }));
  return { definitions, imports, ...packSites(sites), expressions: expressions.all(), locals, fields };
}

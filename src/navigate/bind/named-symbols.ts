/** The symbols of a view by their exact name, with what binding has to know of each. */
import type { NamedSymbol } from "../../model/language-edges.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { surroundings } from "./qualified.ts";

/** A name that more symbols have says nothing. */
const MAX_NAMED = 400;

export async function namedIn(at: Snapshot, name: string): Promise<NamedSymbol[]> {
  const { candidates } = await at.symbols({ name, match: "exact", limit: MAX_NAMED });
  const found: NamedSymbol[] = [];
  for (const { file, index } of candidates) {
    const { symbols } = await at.record(file);
    const symbol = symbols[index];
    if (symbol === undefined || symbol.kind === "use") continue;
    const { kind, qualifiedName, parent, declaration, visibilityKeyword } = symbol;
    const inner = parent !== undefined && !PACKAGES.has(symbols[parent]!.kind);
    const place = { path: file.path, index, language: file.language };
    const local = visibilityKeyword === "static" && parent === undefined;
    const around = surroundings(symbols, index);
    found.push({ ...place, kind, qualifiedName, inner, declaration: declaration === true, local, ...around });
  }
  return found;
}

const PACKAGES: ReadonlySet<string> = new Set(["package", "namespace", "module"]);

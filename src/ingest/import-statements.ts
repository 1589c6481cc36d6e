/** Reads the statements of a file that import or export, and knows what stands inside of one. */
import type { ImportItem } from "../model/edges.ts";
import type { LanguageEdges } from "../model/language-edges.ts";
import type { TextRange } from "./scopes.ts";

export function readImports(statements: readonly TextRange[], text: string, edges: LanguageEdges) {
  const imports: ImportItem[] = [];
  const exported: { at: number; name: string }[] = [];
  const read: TextRange[] = [];
  for (const { start, end } of statements) {
    const items = edges.imports(text.slice(start, end));
    // `exports.json = parser.json` is an assignment like any other.
    if (items.length > 0) read.push({ start, end });
    for (const item of items) {
      const at = start + item.at;
      imports.push({ ...item, at });
      if (item.module === "" && item.name !== "") exported.push({ at, name: item.name });
    }
  }
  return { imports, exported, ranges: new StatementRanges(read) };
}

/** Stretches that do not overlap, or hardly. */
class StatementRanges {
  private readonly sorted: readonly TextRange[];

  constructor(stretches: readonly TextRange[]) {
    this.sorted = stretches.toSorted((a, b) => a.start - b.start);
  }

  around(place: number): boolean {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sorted[middle]!.start <= place) low = middle + 1;
      else high = middle;
    }
    return low > 0 && this.sorted[low - 1]!.end > place;
  }
}

/** An oracle that a compiler's program answers for at once: every name of a tree with the definition it uses, as JSON. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { positionOf } from "./lsp.ts";
import type { Oracle, RefKind, Target, Truth } from "./oracle.ts";

interface Use extends Target {
  readonly kind: RefKind;
  readonly of: string;
  readonly ofOffset: number;
}

export interface ListedUses {
  readonly files: readonly string[];
  readonly uses: readonly Use[];
  readonly definitions: readonly Target[];
  /** Names that the compiler could not bind, since a library is missing: not judged. */
  readonly unknown?: readonly Target[];
}

/** `unit`: what offsets count. */
export function listedOracle(root: string, listed: ListedUses, unit: "bytes" | "utf16", note: string): Oracle {
  const texts = new Map(listed.files.map((path) => [path, new Text(readFileSync(join(root, path)), unit)]));
  const at = (path: string, offset: number) => `${path}:${texts.get(path)?.offset(offset)}`;
  const placeOf = ({ path, offset }: Target) => {
    const { line, character } = texts.get(path)!.position(offset);
    return { path, line: line + 1, column: character };
  };
  const byDefinition = new Map<string, Truth[]>(listed.definitions.map((it) => [at(it.path, it.offset), []]));
  for (const use of listed.uses)
    byDefinition.get(at(use.of, use.ofOffset))?.push({ ...placeOf(use), kind: use.kind, definition: false });
  const unknown = new Set((listed.unknown ?? []).map((it) => keyOf(placeOf(it))));
  return {
    references: async (path, offset) => byDefinition.get(`${path}:${offset}`),
    reads: (path) => texts.has(path),
    judges: (site) => !unknown.has(keyOf(site)),
    note,
    close: () => undefined,
  };
}

function keyOf({ path, line, column }: { path: string; line: number; column: number }): string {
  return `${path}:${line}:${column}`;
}

/** The index counts UTF-16 units. */
class Text {
  private readonly bytes: Buffer;
  private readonly text: string;
  private readonly plain: boolean;

  constructor(bytes: Buffer, unit: "bytes" | "utf16") {
    this.bytes = bytes;
    // Compilers that count characters do not count the mark at the beginning; nor does the index.
    this.text = unit === "utf16" ? bytes.toString("utf8").replace(/^\uFEFF/, "") : bytes.toString("utf8");
    this.plain = unit === "utf16" || this.text.length === bytes.length;
  }

  offset(given: number): number {
    return this.plain ? given : this.bytes.subarray(0, given).toString("utf8").length;
  }

  position(given: number): { line: number; character: number } {
    return positionOf(this.text, this.offset(given));
  }
}

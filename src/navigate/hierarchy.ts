/**
 * The parents and the members of a symbol. Besides nesting, this includes blocks about a type (`impl`, `extension`)
 * and methods that name their owner (Go, C++).
 */

import { languageById } from "../languages/index.ts";
import type { CodeSymbol, FileRecord } from "../model/code.ts";
import { type IdSource, symbolHit } from "../model/ids.ts";
import { TYPE_KINDS } from "../model/kinds.ts";
import type { HierarchyNode } from "../model/navigation.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { bareName, parentFolder } from "./bind/qualified.ts";

export interface SymbolInFile {
  readonly record: FileRecord;
  readonly index: number;
}

/** Deeper nesting is a cycle of our own. */
const MAX_DEPTH = 24;
/** A larger tree is an outline, and there is a tool for that. */
const MAX_NODES = 2_000;
/** Maximum blocks and owners of one name. */
const MAX_NAMESAKES = 200;
/** Maximum files of a folder that are searched for a type's methods. */
const MAX_SIBLINGS = 400;
const BLOCKS: ReadonlySet<string> = new Set(["impl", "extension"]);
const HIDDEN: ReadonlySet<string> = new Set(["use", "package"]);

/** The symbol first, then its parents. */
export async function ancestors(start: SymbolInFile, at: Snapshot, ids: IdSource): Promise<HierarchyNode[]> {
  const chain: SymbolInFile[] = [];
  const seen = new Set<CodeSymbol>();
  for (
    let it: SymbolInFile | undefined = start;
    it !== undefined && chain.length < MAX_DEPTH;
    it = await findOwner(it, at)
  ) {
    const symbol = it.record.symbols[it.index]!;
    if (seen.has(symbol)) break;
    seen.add(symbol);
    chain.push(it);
  }
  return chain.map(({ record, index }, depth) => ({ hit: symbolHit(record, index, ids), depth, children: [] }));
}

/** The symbol as a root, with everything in it. */
export async function descendants(start: SymbolInFile, at: Snapshot, ids: IdSource): Promise<HierarchyNode> {
  let count = 0;
  const buildNode = async ({ record, index }: SymbolInFile, depth: number): Promise<HierarchyNode> => {
    const hit = symbolHit(record, index, ids);
    const children: HierarchyNode[] = [];
    const inside = depth < MAX_DEPTH ? await findMembers({ record, index }, depth === 0, at) : [];
    for (const child of inside) if (++count < MAX_NODES) children.push(await buildNode(child, depth + 1));
    return { hit, depth, children };
  };
  return buildNode(start, 0);
}

async function findOwner({ record, index }: SymbolInFile, at: Snapshot): Promise<SymbolInFile | undefined> {
  const symbol = record.symbols[index]!;
  if (symbol.parent !== undefined) return { record, index: symbol.parent };
  if (BLOCKS.has(symbol.kind)) return typeNamed(bareName(symbol.name), record, at);
  if (symbol.kind !== "method" && symbol.kind !== "constructor") return undefined;
  const owner = symbol.qualifiedName.split(/::|\./).at(-2);
  return owner === undefined ? undefined : typeNamed(owner, record, at);
}

/** In the same file, else in the same folder, else the only one of its name. */
async function typeNamed(name: string, near: FileRecord, at: Snapshot): Promise<SymbolInFile | undefined> {
  const own = near.symbols.findIndex((it) => it.name === name && TYPE_KINDS.has(it.kind));
  if (own >= 0) return { record: near, index: own };
  const page = await at.symbols({ name, match: "exact", limit: MAX_NAMESAKES });
  const types: SymbolInFile[] = [];
  for (const { file, index } of page.candidates) {
    if (file.language !== near.language) continue;
    const record = await at.record(file);
    if (TYPE_KINDS.has(record.symbols[index]?.kind ?? "")) types.push({ record, index });
  }
  const siblings = types.filter(({ record }) => parentFolder(record.path) === parentFolder(near.path));
  return siblings[0] ?? (types.length === 1 ? types[0] : undefined);
}

async function findMembers(of: SymbolInFile, isRoot: boolean, at: Snapshot): Promise<SymbolInFile[]> {
  const { record, index } = of;
  const inside = nested(of);
  if (!TYPE_KINDS.has(record.symbols[index]!.kind)) return inside;
  const blocks = isRoot ? await findBlocks(of, at) : blocksIn(record, record.symbols[index]!.name);
  const named = await ownMethods(of, isRoot, at);
  return inOrder([...inside, ...blocks.flatMap(nested), ...named], record.path);
}

function nested({ record, index }: SymbolInFile): SymbolInFile[] {
  const found = record.symbols.flatMap((it, i) => (it.parent === index && !HIDDEN.has(it.kind) ? [i] : []));
  return inOrder(
    found.map((it) => ({ record, index: it })),
    record.path,
  );
}

async function findBlocks({ record, index }: SymbolInFile, at: Snapshot): Promise<SymbolInFile[]> {
  const { name } = record.symbols[index]!;
  const page = await at.symbols({ name, match: "exact", limit: MAX_NAMESAKES });
  const found: SymbolInFile[] = [];
  for (const { file, index: i } of page.candidates) {
    if (file.language !== record.language) continue;
    const other = await at.record(file);
    if (BLOCKS.has(other.symbols[i]?.kind ?? "")) found.push({ record: other, index: i });
  }
  return found;
}

function blocksIn(record: FileRecord, name: string): SymbolInFile[] {
  return record.symbols.flatMap((it, index) =>
    BLOCKS.has(it.kind) && bareName(it.name) === name ? [{ record, index }] : [],
  );
}

/** Methods defined outside the type: `func (c *Claims) Valid()`, `bool Claims::valid()`. */
async function ownMethods({ record, index }: SymbolInFile, isRoot: boolean, at: Snapshot): Promise<SymbolInFile[]> {
  const { qualifiedName } = record.symbols[index]!;
  const methodsIn = (file: FileRecord) =>
    file.symbols.flatMap((it, i) =>
      it.parent === undefined && it.kind === "method" && ownerName(it) === qualifiedName
        ? [{ record: file, index: i }]
        : [],
    );
  const own = methodsIn(record);
  if (!isRoot || languageById(record.language)?.folderPackages !== true) return own;
  const folder = parentFolder(record.path);
  const siblings = (await at.files()).filter(
    ({ path, language }) => language === record.language && path !== record.path && parentFolder(path) === folder,
  );
  const records = await Promise.all(siblings.slice(0, MAX_SIBLINGS).map((file) => at.record(file)));
  return [...own, ...records.flatMap(methodsIn)];
}

function ownerName({ qualifiedName, name }: CodeSymbol): string {
  return qualifiedName.slice(0, -name.length).replace(/(?:::|\.)$/, "");
}

/** The symbol's own file first, then by path and place. */
function inOrder(list: readonly SymbolInFile[], home: string): SymbolInFile[] {
  const away = (path: string) => Number(path !== home);
  const start = ({ record, index }: SymbolInFile) => record.symbols[index]!.span.start;
  return list.toSorted((a, b) => {
    const [one, other] = [a.record.path, b.record.path];
    return away(one) - away(other) || (one < other ? -1 : one > other ? 1 : start(a) - start(b));
  });
}

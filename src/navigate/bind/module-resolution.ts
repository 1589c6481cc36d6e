/**
 * Module resolution in a view. It depends only on the view's paths and configuration files, so it is cached until one
 * of them changes: an edit of another file only resolves the imports of that file.
 */
import type { LanguageEdges, ViewPaths } from "../../model/language-edges.ts";
import { baseName } from "../../model/paths.ts";
import type { FileRow, Snapshot } from "../../ports/snapshot.ts";

type PreparedResolver = LanguageEdges["resolver"];
export type Resolve = ReturnType<PreparedResolver["prepare"]>;

export interface Layout {
  readonly resolvers: ReadonlyMap<PreparedResolver, Resolve>;
  /** Files of modules, by importing file and import form. */
  readonly resolved: Map<string, readonly string[]>;
  /** Files of the view that a file version imports. */
  readonly imports: Map<string, readonly string[]>;
  /** The last result for all imports. */
  ranks?: { readonly of: ImportGraph; readonly ranks: ReadonlyMap<string, number> };
}

/** Files that each file imports, by path. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Cached views: a checkout and the branches it is compared with. */
const MOST_KEPT = 4;
const kept: CachedLayout[] = [];

interface CachedLayout {
  readonly signature: string;
  readonly used: ReadonlySet<PreparedResolver>;
  readonly layout: Promise<Layout>;
}

export function buildLayout(
  at: Snapshot,
  files: readonly FileRow[],
  used: ReadonlySet<PreparedResolver>,
): Promise<Layout> {
  const signature = layoutSignature(files, used);
  const known = kept.findIndex((it) => it.signature === signature && isSame(it.used, used));
  const found = known < 0 ? { signature, used, layout: prepare(at, files, used) } : kept.splice(known, 1)[0]!;
  kept.unshift(found);
  if (kept.length > MOST_KEPT) kept.pop();
  // A layout that could not be read is not remembered.
  found.layout.catch(() => {
    const at = kept.indexOf(found);
    if (at >= 0) kept.splice(at, 1);
  });
  return found.layout;
}

function isSame(a: ReadonlySet<PreparedResolver>, b: ReadonlySet<PreparedResolver>): boolean {
  return a.size === b.size && [...a].every((it) => b.has(it));
}

export function sameImports(a: ImportGraph, b: ImportGraph): boolean {
  if (a.size !== b.size) return false;
  for (const [path, targets] of a) {
    const other = b.get(path);
    if (other !== targets && (other?.length !== targets.length || !targets.every((it, i) => other[i] === it)))
      return false;
  }
  return true;
}

function layoutSignature(files: readonly FileRow[], resolvers: ReadonlySet<PreparedResolver>): string {
  const isConfig = (path: string) => [...resolvers].some(({ configs }) => configs?.test(baseName(path)));
  const parts = files.map(({ path, contentHash }) => (isConfig(path) ? `${path}\0${contentHash}` : path));
  return parts.join("\n");
}

async function prepare(at: Snapshot, files: readonly FileRow[], used: ReadonlySet<PreparedResolver>): Promise<Layout> {
  const resolvers = new Map<PreparedResolver, Resolve>();
  for (const resolver of used) resolvers.set(resolver, resolver.prepare(await viewPaths(resolver, files, at)));
  return { resolvers, resolved: new Map(), imports: new Map() };
}

async function viewPaths({ configs }: PreparedResolver, files: readonly FileRow[], at: Snapshot): Promise<ViewPaths> {
  const texts = new Map<string, string>();
  for (const file of configs === undefined ? [] : files) {
    if (configs!.test(baseName(file.path))) texts.set(file.path, await at.text(file));
  }
  const paths = files.map(({ path }) => path);
  const all = new Set(paths);
  return { paths, has: (path) => all.has(path), text: (path) => texts.get(path) };
}

/**
 * A view as binding sees it: its paths, what modules lead to, and the files that were read so far.
 *
 * Binding is plain functions over files in memory. One that needs a file which is not there says so (`wanted`) and
 * continues without it; `settle` reads what was wanted, all at once, and runs it again. So the store is not read file by
 * file, and what is not needed is not read.
 */
import type { CodeSymbol } from "../../model/code.ts";
import type { ImportFact, SymbolLocation } from "../../model/edges.ts";
import { isLongTurn, nextTurn } from "../../model/event-loop.ts";
import type { LanguageEdges, NamedSymbol } from "../../model/language-edges.ts";
import type { FileRow, Snapshot, ViewInfo } from "../../ports/snapshot.ts";
import { literalPlan } from "../../text/trigrams.ts";
import { type CompiledFile, type CompiledFiles, compiledIn } from "./compiled.ts";
import { indexModule, type Module } from "./module.ts";
import { buildLayout, type ImportGraph, type Layout, sameImports } from "./module-resolution.ts";
import { bareName, enclosingNames, locationKey, nameParts } from "./qualified.ts";

/** The reference rules of a language id. */
export type Dialects = (language: string) => LanguageEdges | undefined;

/** Each round reads files that no round read before; a longer chain of imports is not followed to its end. */
const MAX_ROUNDS = 400;
/** File versions whose imports are cached between states of a view. */
const MAX_IMPORTS = 200_000;
/** Modules cached between requests. */
const MAX_KEPT = 4_000;

/** What requests to one state of a view share. */
interface SharedFacts {
  readonly rows: ReadonlyMap<string, FileRow>;
  readonly memo: Map<string, unknown>;
  readonly layout: Layout;
  readonly read: Map<string, Module>;
  readonly compiled: CompiledFiles;
  /** Of the files that were read. */
  readonly compilers: Map<string, CompiledFile>;
  readonly named: Map<string, readonly NamedSymbol[]>;
  /** Of `named`: by the type around the symbol or written before its name. */
  readonly owned: Map<string, ReadonlyMap<string, readonly NamedSymbol[]>>;
  /** Of `named`: by the whole name with its package. */
  readonly qualified: Map<string, ReadonlyMap<string, readonly NamedSymbol[]>>;
  /** Of `named`: by location. */
  readonly located: Map<string, ReadonlyMap<string, NamedSymbol>>;
  /** Names that have more symbols than were read. */
  readonly cut: Set<string>;
  importers: Promise<ReadonlyMap<string, readonly string[]>> | undefined;
  readonly sharedImports: readonly SharedImport[];
}

/** One request's view of it. */
export class BindingWorld {
  readonly rows: ReadonlyMap<string, FileRow>;
  /** Cached results for this state of the view, by caller. */
  readonly memo: Map<string, unknown>;
  private readonly at: Snapshot;
  private readonly dialects: Dialects;
  private readonly shared: SharedFacts;
  private readonly requested = new Set<string>();
  private readonly requestedNames = new Set<string>();
  /** How often a file was requested that was not loaded. */
  misses = 0;
  /** How often `settle` began to run what it was given. */
  round = 0;
  /** Files were still missing when `settle` gave up. */
  isUnsettled = false;

  private constructor(at: Snapshot, dialects: Dialects, shared: SharedFacts) {
    this.at = at;
    this.dialects = dialects;
    this.shared = shared;
    this.rows = shared.rows;
    this.memo = shared.memo;
  }

  static async of(at: Snapshot, dialects: Dialects): Promise<BindingWorld> {
    let shared = states.get(at.info);
    if (shared === undefined) {
      shared = share(at, dialects);
      states.set(at.info, shared);
      // A state that could not be read is not remembered.
      shared.catch(() => states.delete(at.info));
    }
    const state = await shared;
    if (state.read.size > MAX_KEPT) {
      state.read.clear();
      state.compilers.clear();
    }
    return new BindingWorld(at, dialects, state);
  }

  dialect(module: Module): LanguageEdges | undefined {
    return this.dialects(module.language);
  }

  /** Undefined if the view has no such file, or if it is not loaded yet: then it is requested. */
  module(path: string): Module | undefined {
    const known = this.shared.read.get(path);
    if (known === undefined && this.rows.has(path)) {
      this.requested.add(path);
      this.misses++;
    }
    return known;
  }

  /** The compiler edges of a file that was read, where an index of it was imported. */
  compiler(path: string): CompiledFile | undefined {
    return this.shared.compilers.get(path);
  }

  /** Files with compiler edges. */
  get compiledPaths(): ReadonlySet<string> {
    return this.shared.compiled.paths;
  }

  /** Symbols of the view by name; none if they are not loaded yet: then they are requested. */
  named(name: string): readonly NamedSymbol[] {
    const known = this.shared.named.get(name);
    if (known !== undefined) return known;
    this.requestedNames.add(name);
    this.misses++;
    return [];
  }

  /** Those that are members of a type of that name. */
  ownedBy(owner: string, name: string): readonly NamedSymbol[] {
    const byOwner = (all: readonly NamedSymbol[]) =>
      Map.groupBy(all, ({ qualifiedName }) => bareName(nameParts(qualifiedName).at(-2) ?? ""));
    return this.indexed(this.shared.owned, name, byOwner).get(owner) ?? [];
  }

  /** Those that an import of their package, with dots between its parts, may mean. */
  qualifiedAs(qualifiedName: string, name: string): readonly NamedSymbol[] {
    return this.indexed(this.shared.qualified, name, byPackage).get(qualifiedName) ?? [];
  }

  /** The symbol of that name at a location; undefined also while its name is not loaded. */
  namedAt(name: string, at: SymbolLocation): NamedSymbol | undefined {
    const byLocation = (all: readonly NamedSymbol[]) => new Map(all.map((it) => [locationKey(it), it]));
    return this.indexed(this.shared.located, name, byLocation).get(locationKey(at));
  }

  private indexed<T>(known: Map<string, T>, name: string, index: (all: readonly NamedSymbol[]) => T): T {
    const found = known.get(name);
    if (found !== undefined) return found;
    const made = index(this.named(name));
    if (this.shared.named.has(name)) known.set(name, made);
    return made;
  }

  /** Whether there may be symbols of the name that `named` lacks. */
  isCut(name: string): boolean {
    return this.shared.cut.has(name);
  }

  /** Imports that other files make for it. */
  sharedImports({ path, language }: Module): readonly ImportFact[] {
    const { sharedImports } = this.shared;
    if (sharedImports.length === 0) return sharedImports as [];
    return sharedImports.flatMap((it) => (it.language === language && path.startsWith(it.folder) ? it.fact : []));
  }

  /** Files that a module's name means to a file. */
  resolve(name: string, from: Module, how?: "required"): readonly string[] {
    const resolver = this.dialect(from)?.resolver;
    const { resolvers, resolved } = this.shared.layout;
    const resolve = resolver && resolvers.get(resolver);
    if (resolve === undefined) return [];
    const key = `${from.path.slice(0, from.path.lastIndexOf("/") + 1)}\0${name}\0${how ?? ""}`;
    const known = resolved.get(key);
    if (known !== undefined) return known;
    const files = resolve(name, from.path, how);
    resolved.set(key, files);
    return files;
  }

  /** Runs until no file is missing. */
  async settle<T>(run: () => T): Promise<T> {
    for (let round = 0; ; round++) {
      this.requested.clear();
      this.requestedNames.clear();
      this.round++;
      const result = run();
      if (this.requested.size + this.requestedNames.size === 0) return result;
      if (round >= MAX_ROUNDS) {
        this.isUnsettled = true;
        return result;
      }
      await this.load([...this.requested]);
      for (const name of this.requestedNames) await this.readNamed(name);
    }
  }

  private async readNamed(name: string): Promise<void> {
    const { candidates, matched } = await this.at.symbols({ name, match: "exact", limit: MAX_NAMED });
    const found: NamedSymbol[] = [];
    for (const { file, index } of candidates) {
      const { symbols } = await this.at.record(file);
      found.push(...namedSymbol(file, symbols, index, this.dialects(file.language)));
      if (isLongTurn()) await nextTurn();
    }
    if (matched > candidates.length) this.shared.cut.add(name);
    this.shared.named.set(name, found);
  }

  async load(paths: readonly string[]): Promise<void> {
    const rows = paths.flatMap((path) => (this.shared.read.has(path) ? [] : (this.rows.get(path) ?? [])));
    const facts = await this.at.facts(rows);
    for (const [i, { path, language }] of rows.entries()) {
      const compiled = await this.shared.compiled.open(path);
      if (compiled !== undefined) this.shared.compilers.set(path, compiled);
      this.shared.read.set(path, indexModule(path, language, facts[i]!));
    }
  }

  /** Files that import a file, by path. */
  importersOf(path: string): Promise<readonly string[]> {
    this.shared.importers ??= this.importGraph();
    return this.shared.importers.then((graph) => graph.get(path) ?? []);
  }

  private async importGraph(): Promise<ReadonlyMap<string, readonly string[]>> {
    const graph = new Map<string, string[]>();
    for (const [path, targets] of await this.imports()) {
      for (const target of targets) {
        const known = graph.get(target);
        if (known) known.push(path);
        else graph.set(target, [path]);
      }
    }
    return graph;
  }

  /** Files of the view that each file imports. */
  async imports(): Promise<ImportGraph> {
    const graph = new Map<string, readonly string[]>();
    for (const { file, modules } of await this.at.modules()) {
      const targets = this.importedBy(file, modules);
      if (targets.length > 0) graph.set(file.path, targets);
    }
    return graph;
  }

  private importedBy(file: FileRow, modules: readonly string[]): readonly string[] {
    const { imports } = this.shared.layout;
    const key = `${file.path}\0${file.contentHash}`;
    const known = imports.get(key);
    if (known !== undefined) return known;
    // What was edited a thousand times leaves as many versions behind.
    if (imports.size > MAX_IMPORTS) imports.clear();
    const from = { path: file.path, language: file.language } as Module;
    const targets = new Set(modules.flatMap((module) => this.resolve(module, from)));
    targets.delete(file.path);
    imports.set(key, [...targets]);
    return imports.get(key)!;
  }

  /** Values derived from all imports, cached until one of them changes. */
  async ranks(rank: (graph: ImportGraph) => ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    const { layout } = this.shared;
    const graph = await this.imports();
    if (layout.ranks === undefined || !sameImports(layout.ranks.of, graph))
      layout.ranks = { of: graph, ranks: rank(graph) };
    return layout.ranks.ranks;
  }
}

const states = new WeakMap<ViewInfo, Promise<SharedFacts>>();

async function share(at: Snapshot, dialects: Dialects): Promise<SharedFacts> {
  const files = await at.files();
  const rows = new Map(files.map((file) => [file.path, file]));
  const used = new Set(at.info.languages.flatMap(({ language }) => dialects(language)?.resolver ?? []));
  return {
    rows,
    layout: await buildLayout(at, files, used),
    memo: new Map(),
    read: new Map(),
    compiled: await compiledIn(at, rows),
    compilers: new Map(),
    named: new Map(),
    owned: new Map(),
    qualified: new Map(),
    located: new Map(),
    cut: new Set(),
    importers: undefined,
    sharedImports: await readSharedImports(at, files, dialects),
  };
}

/** An import that counts for every file of its project. */
interface SharedImport {
  readonly language: string;
  /** Of the project: a prefix of paths. */
  readonly folder: string;
  readonly fact: ImportFact;
}

async function readSharedImports(
  at: Snapshot,
  files: readonly FileRow[],
  dialects: Dialects,
): Promise<readonly SharedImport[]> {
  const found: SharedImport[] = [];
  for (const { language } of at.info.languages) {
    const text = dialects(language)?.sharedImports;
    if (text === undefined) continue;
    const projects = new Set(files.flatMap(({ path }) => (PROJECT.test(path) ? folderPrefix(path) : [])));
    const rows = (await at.holding(literalPlan(text))).filter((file) => file.language === language);
    for (const [i, { imports }] of (await at.facts(rows)).entries()) {
      let folder = folderPrefix(rows[i]!.path);
      while (folder !== "" && !projects.has(folder)) folder = folderPrefix(folder.slice(0, -1));
      for (const fact of imports) if (fact.exported === "*") found.push({ language, folder, fact });
    }
  }
  return found;
}

/** The file of a .NET project. */
const PROJECT = /\.\w+proj$/;

function byPackage(all: readonly NamedSymbol[]): ReadonlyMap<string, readonly NamedSymbol[]> {
  const found = new Map<string, NamedSymbol[]>();
  for (const it of all) {
    const parts = nameParts(it.qualifiedName);
    // An extension is imported without the type that it extends.
    const isExtension = it.kind === "method" && !it.inner && parts.length > 1;
    for (const key of [parts.join("."), ...(isExtension ? [parts.toSpliced(-2, 1).join(".")] : [])]) {
      const known = found.get(key);
      if (known) known.push(it);
      else found.set(key, [it]);
    }
  }
  return found;
}

function folderPrefix(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** Symbols of one name that are distinguished; a site that means none of them is then uncertain. */
export const MAX_NAMED = 5_000;

function namedSymbol(file: FileRow, symbols: readonly CodeSymbol[], index: number, rules: Rules): NamedSymbol[] {
  const symbol = symbols[index];
  if (symbol === undefined || symbol.kind === "use") return [];
  const { kind, qualifiedName, parent, declaration, visibilityKeyword } = symbol;
  const inner = parent !== undefined && !PACKAGES.has(symbols[parent]!.kind);
  const place = { path: file.path, index, language: file.language };
  const local = (visibilityKeyword === "static" || visibilityKeyword === "local") && parent === undefined;
  const global = rules?.isGlobal?.(index, symbols, file.path) ?? false;
  const around = enclosingNames(symbols, index);
  return [{ ...place, kind, qualifiedName, inner, declaration: declaration === true, local, global, ...around }];
}

type Rules = ReturnType<Dialects>;

const PACKAGES: ReadonlySet<string> = new Set(["package", "namespace", "module"]);

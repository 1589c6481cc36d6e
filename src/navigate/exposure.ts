/**
 * Why code outside the view may use a symbol that nothing in the view uses: it is exported from what is published, a
 * framework loads its file, a decorator registers it, or a type of a library calls it.
 */
import { languageById } from "../languages/index.ts";
import type { CodeSymbol, FileRecord } from "../model/code.ts";
import type { SymbolLocation } from "../model/edges.ts";
import type { UnknownReason } from "../model/navigation.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { Binder } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { locationKey, nameParts, parentFolder } from "./bind/qualified.ts";
import { BindingWorld, type Dialects } from "./bind/world.ts";
import { overridesOf } from "./overrides.ts";
import type { Candidate } from "./use-counts.ts";

export class Exposure {
  private readonly at: Snapshot;
  private readonly world: BindingWorld;
  private readonly dialects: Dialects;
  private readonly paths: ReadonlySet<string>;
  /** By folder of a manifest; undefined: everything that is exported may be used. */
  private readonly published = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  private readonly wholes = new Map<string, Promise<boolean>>();
  private readonly shown = new Map<string, Promise<boolean>>();
  private imported: Promise<ReadonlySet<string>> | undefined;

  private constructor(at: Snapshot, world: BindingWorld, dialects: Dialects) {
    this.at = at;
    this.world = world;
    this.dialects = dialects;
    this.paths = new Set(world.rows.keys());
  }

  static async of(at: Snapshot, dialects: Dialects): Promise<Exposure> {
    return new Exposure(at, await BindingWorld.of(at, dialects), dialects);
  }

  /** Undefined: only code of the view can use it. */
  async reason(it: Candidate): Promise<UnknownReason | undefined> {
    const record = await this.at.record((await this.at.file(it.path))!);
    await this.world.load([it.path]);
    if (await this.isDecorated(it)) return "decorated";
    if (it.isMember && (await this.isInherited(it))) return "inherited";
    if (languageById(it.language)?.methodsInMethods && isDefinedInMethod(it, record)) return "inherited";
    return this.exported(it, record);
  }

  private async exported(it: Candidate, record: FileRecord): Promise<UnknownReason | undefined> {
    const { symbols } = record;
    for (let at: number | undefined = it.index; at !== undefined; at = symbols[at]!.parent) {
      const { visibility, kind } = symbols[at]!;
      if (visibility === "private" || (at !== it.index && (kind === "fn" || kind === "method"))) return undefined;
      const isHidden = visibility === "internal";
      if (isHidden && (at === it.index || !(await this.isShownBySubtype({ path: it.path, index: at }))))
        return undefined;
    }
    switch (languageById(it.language)?.exposure) {
      case "module exports":
        return this.exportedFromModule(it, record);
      case "modules":
        return this.exportedFromDistribution(it);
      case "packages":
        return exposureInPackage(it, record);
      case "crate":
        return this.exportedFromCrate(it, symbols);
      case "linkage":
        return it.symbol.visibilityKeyword === "static" ? undefined : "exported";
      case "environment":
        return /^(?:export|declare -x)\b/.test(it.symbol.signature ?? "") ? "exported" : undefined;
      default:
        return "exported";
    }
  }

  /** A public type exposes the members of a base that only its package sees. */
  private isShownBySubtype(type: SymbolLocation): Promise<boolean> {
    const key = locationKey(type);
    const known = this.shown.get(key) ?? this.readShown(type);
    this.shown.set(key, known);
    return known;
  }

  private async readShown(type: SymbolLocation): Promise<boolean> {
    const { symbols } = await overridesOf(type, this.at, this.dialects);
    for (const { path, index } of symbols) {
      const { symbols: declared } = await this.at.record((await this.at.file(path))!);
      if (declared[index]!.visibility === "public") return true;
    }
    return false;
  }

  private async exportedFromModule(it: Candidate, { symbols, path }: FileRecord): Promise<UnknownReason | undefined> {
    let top = it.index;
    while (symbols[top]!.parent !== undefined) top = symbols[top]!.parent!;
    const { name, visibility, signature } = symbols[top]!;
    if (isAmbient(await this.at.text((await this.at.file(path))!), it.symbol.span.start)) return "exported";
    const module = this.world.module(path)!;
    const isAssigned =
      new RegExp(`\\.\\s*${escaped(name)}\\s*=`).test(signature ?? "") || symbols[top]!.kind === "method";
    const stated = module.facts.imports.some((fact) => fact.module === "" && fact.name === name);
    if (visibility !== "public" && !stated && !isAssigned) return undefined;
    if (isAssigned) return "exported";
    const folder = this.manifestFolder(path, ["package.json"]);
    const published = await this.publishedModules(folder, it.language);
    if (published === undefined || published.has(locationKey({ path, index: top }))) return "exported";
    if ((await this.world.importersOf(path)).length === 0) return "entry_file";
    return (await this.isTakenWhole(path)) ? "whole_module" : undefined;
  }

  /** Symbols that a package's entries export; undefined if any file of it can be imported. */
  private publishedModules(folder: string | undefined, language: string): Promise<ReadonlySet<string> | undefined> {
    const known = this.published.get(folder ?? "\0");
    if (known !== undefined) return known;
    const made = this.readPublished(folder, language);
    this.published.set(folder ?? "\0", made);
    return made;
  }

  private async readPublished(folder: string | undefined, language: string): Promise<ReadonlySet<string> | undefined> {
    if (folder === undefined) return new Set();
    const manifest = parsedObject(await this.textAt(folder, "package.json"));
    if (manifest === undefined) return undefined;
    if (manifest.private === true || typeof manifest.name !== "string") return new Set();
    if (typeof manifest.exports !== "object" && typeof manifest.exports !== "string") return undefined;
    const subpaths =
      typeof manifest.exports === "string" || !Object.keys(manifest.exports as object).some((it) => it.startsWith("."))
        ? ["."]
        : Object.keys(manifest.exports as object);
    const from = { path: folder === "" ? "package.json" : `${folder}/package.json`, language } as Module;
    const entries: string[] = [];
    for (const subpath of subpaths.filter((it) => !/package\.json$|\.css$/.test(it))) {
      const files = subpath.includes("*") ? [] : this.world.resolve(`${manifest.name}${subpath.slice(1)}`, from);
      if (files.length === 0) return undefined;
      entries.push(...files);
    }
    return this.world.settle(() => {
      const found = new Set<string>();
      for (const entry of entries) this.exportsOf(entry, found, new Set());
      return found;
    });
  }

  private exportsOf(path: string, found: Set<string>, seen: Set<string>): void {
    const module = this.world.module(path);
    if (module === undefined || seen.has(path)) return;
    seen.add(path);
    for (const indexes of module.top.values()) for (const index of indexes) found.add(locationKey({ path, index }));
    const { exports } = new Binder(this.world);
    for (const name of module.exported.keys())
      for (const value of exports.of(path, name, new Set())) {
        if (value.is === "symbol" || value.is === "instance") found.add(locationKey(value));
        if (value.is === "module") this.exportsOf(value.path, found, seen);
      }
    for (const fact of module.handedOn)
      for (const file of this.world.resolve(fact.module, module)) this.exportsOf(file, found, seen);
  }

  /** A file of the view imports the module, or loads it at run time, and hands it on as a value. */
  private isTakenWhole(path: string): Promise<boolean> {
    const known = this.wholes.get(path) ?? this.readWhole(path);
    this.wholes.set(path, known);
    return known;
  }

  private async readWhole(path: string): Promise<boolean> {
    this.imported ??= this.dynamicImports();
    if ((await this.imported).has(path)) return true;
    const importers = await this.world.importersOf(path);
    await this.world.load(importers);
    return importers.some((importer) => {
      const module = this.world.module(importer);
      if (module === undefined) return true;
      return module.facts.imports.some(
        (fact) =>
          (fact.name === "*" || fact.name === "=") &&
          fact.exported !== "*" &&
          this.world.resolve(fact.module, module, fact.required && "required").includes(path) &&
          isValue(module, fact.local),
      );
    });
  }

  private async dynamicImports(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const file of await this.at.files()) {
      if (languageById(file.language)?.exposure !== "module exports") continue;
      const from = { path: file.path, language: file.language } as Module;
      for (const [, module] of (await this.at.text(file)).matchAll(
        /\b(?:import|require)\s*\(\s*["'`]([^"'`]+)["'`]\s*\)\s*(?!;|$)/gm,
      ))
        for (const path of this.world.resolve(module!, from)) found.add(path);
    }
    return found;
  }

  private async exportedFromDistribution({ path }: Candidate): Promise<UnknownReason | undefined> {
    const folder = this.manifestFolder(path, ["pyproject.toml", "setup.py", "setup.cfg"]);
    const isPrivate = path.split("/").some((part) => /^_(?!_)/.test(part));
    if (folder !== undefined && !isPrivate && (await this.isDistributed(folder))) return "exported";
    if ((await this.world.importersOf(path)).length === 0) return "entry_file";
    return (await this.isTakenWhole(path)) ? "whole_module" : undefined;
  }

  private async isDistributed(folder: string): Promise<boolean> {
    const texts = ["pyproject.toml", "setup.py", "setup.cfg"].map((name) => this.textAt(folder, name));
    return (await Promise.all(texts)).some((text) => /^\[(?:project|tool\.poetry|metadata)\]|\bsetup\s*\(/m.test(text));
  }

  private async exportedFromCrate(it: Candidate, symbols: readonly CodeSymbol[]): Promise<UnknownReason | undefined> {
    if (it.symbol.kind === "macro") return "exported";
    const folder = this.manifestFolder(it.path, ["Cargo.toml"]);
    if (folder === undefined) return "exported";
    for (let at: number | undefined = it.index; at !== undefined; at = symbols[at]!.parent) {
      const { kind, visibilityKeyword } = symbols[at]!;
      if (kind !== "impl" && kind !== "module" && visibilityKeyword !== "pub") return undefined;
    }
    const library = folder === "" ? "src/lib.rs" : `${folder}/src/lib.rs`;
    const isLibrary = this.paths.has(library) || /^\[lib\]/m.test(await this.textAt(folder, "Cargo.toml"));
    return isLibrary ? "exported" : undefined;
  }

  /** A decorator, annotation or attribute other than those that only describe. */
  private async isDecorated({ path, symbol }: Candidate): Promise<boolean> {
    const lines = (await this.at.text((await this.at.file(path))!)).split("\n");
    const name = (symbol.nameLine ?? symbol.span.lineStart) - 1;
    let first = symbol.span.lineStart - 1;
    while (first > 0 && /^\s*(?:@|#!?\[|\[\w|\/\/(?:go:|export ))|^[^(]*\)\]?\s*$/.test(lines[first - 1]!)) first--;
    const head = lines.slice(first, name + 1).join("\n");
    const named = [...head.matchAll(/(?:^|\s)@([\w.]+)|#!?\[\s*([\w:]+)|^\s*\[([A-Z]\w+)|^\s*\/\/(go:|export )/gm)];
    return named.some((it) => !DESCRIBES.test(it.slice(1).find(Boolean)!));
  }

  /** A type of a library is above its owner, or what it overrides may itself be called from outside. */
  private async isInherited(it: Candidate): Promise<boolean> {
    if (
      it.symbol.visibility === "private" &&
      (languageById(it.language)?.sealedPrivate || it.symbol.name.startsWith("#"))
    )
      return false;
    return this.world.settle(() => {
      const module = this.world.module(it.path)!;
      const binder = new Binder(this.world);
      const owner =
        it.symbol.parent === undefined
          ? binder.kin.ownerOf(module, it.index)
          : { path: it.path, index: it.symbol.parent };
      return owner !== undefined && this.isOpenAbove(owner, binder, new Set());
    });
  }

  private isOpenAbove(type: SymbolLocation, binder: Binder, seen: Set<string>): boolean {
    if (seen.has(locationKey(type))) return false;
    seen.add(locationKey(type));
    const module = this.world.module(type.path);
    if (module === undefined) return true;
    const sites = module.supertypes(type.index);
    const bases = binder.kin.supertypes(type);
    return sites.length > bases.length || bases.some((base) => this.isOpenAbove(base, binder, seen));
  }

  private manifestFolder(path: string, names: readonly string[]): string | undefined {
    for (let at = parentFolder(path); ; at = parentFolder(at)) {
      if (names.some((name) => this.paths.has(at === "" ? name : `${at}/${name}`))) return at;
      if (at === "") return undefined;
    }
  }

  private async textAt(folder: string, name: string): Promise<string> {
    const file = await this.at.file(folder === "" ? name : `${folder}/${name}`);
    return file === undefined ? "" : this.at.text(file);
  }
}

/** What describes a definition or wraps it under its own name, and calls it from nowhere. */
const DESCRIBES =
  /^(?:.*\.)?(?:property|setter|getter|deleter|staticmethod|classmethod|abstractmethod|override|overload|final|cache|lru_cache|cached_property|wraps|contextmanager|asynccontextmanager|dataclass|total_ordering|deprecated|Override|Deprecated|SuppressWarnings|Suppress|Nullable|NonNull|NotNull|Nonnull|VisibleForTesting|SafeVarargs|FunctionalInterface|JvmStatic|JvmField|JvmOverloads|inline|must_use|derive|allow|warn|deny|cfg|cfg_attr|doc|cold|track_caller|non_exhaustive|inlinable|discardableResult|available|param|returns?|template|type|typedef|internal|private|public|since|see|throws|example)$/;

/** The module itself is passed on, not only its members. */
function isValue({ facts, sites: named }: Module, local: string): boolean {
  if (local === "" || local === "*") return true;
  const { sites, expressions } = facts;
  const { from, to } = named(local);
  let taken = 0;
  for (let i = 0; i < sites.count; i++) {
    const written = expressions[sites.receivers[i]!];
    if (sites.receivers[i]! >= 0 && (written === local || written?.startsWith(`${local}\t`))) taken++;
  }
  return to - from > taken;
}

/** Inside `declare global` or `declare module`: it extends what others define. */
function isAmbient(text: string, offset: number): boolean {
  const before = text.slice(0, offset);
  const head = [...before.matchAll(/\bdeclare\s+(?:global|module\b[^{;\n]*)\s*\{/g)].at(-1);
  if (head === undefined) return false;
  const inside = before.slice(head.index);
  return inside.split("{").length > inside.split("}").length;
}

/** A type of Go has the interfaces of all libraries that its methods fit, without a word about it. */
function exposureInPackage({ symbol, path, isMember }: Candidate, { symbols }: FileRecord): UnknownReason | undefined {
  if (!/^\p{Lu}/u.test(symbol.name)) return undefined;
  const isMain = symbols.some(({ kind, name }) => kind === "package" && nameParts(name).at(-1) === "main");
  if (!isMain && !/(?:^|\/)internal\//.test(path)) return "exported";
  return isMember ? "inherited" : undefined;
}

function isDefinedInMethod({ symbol }: Candidate, { symbols }: FileRecord): boolean {
  return symbol.parent !== undefined && /^(?:fn|method)$/.test(symbols[symbol.parent]!.kind);
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

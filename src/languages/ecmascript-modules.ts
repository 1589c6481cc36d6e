/**
 * Where an ECMAScript module specifier leads inside a view: relative paths, tsconfig `paths` and `baseUrl`, package
 * `exports` and `imports`, packages of a workspace. What is installed elsewhere is not in the view and leads nowhere.
 */
import type { ModuleResolver, ViewPaths } from "../model/language-edges.ts";
import { baseName } from "../model/paths.ts";
import { joinPath, parentFolder } from "./packages.ts";

export const ecmascriptModules: ModuleResolver = {
  configs: /^(?:package|tsconfig[\w.-]*|jsconfig[\w.-]*|deno)\.jsonc?$/,
  prepare: (view) => {
    const modules = new EcmascriptModules(view);
    return (module, from, how) => modules.resolve(module, from, how);
  },
};

const EXTENSIONS = [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"];
/** Extensions in specifiers and the source files they may refer to. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx", ".d.ts", ".jsx"],
  ".jsx": [".tsx", ".ts"],
  ".mjs": [".mts", ".d.mts", ".ts"],
  ".cjs": [".cts", ".d.cts", ".ts"],
};
/** Build directories of packages, which are not in the view, and the corresponding source directories. */
const BUILT = /^(?:dist|lib|build|out|es|esm|cjs)(?=\/)/;

interface Package {
  readonly folder: string;
  readonly name: string;
  /** What a path to the folder means: `exports` is only for imports by name. */
  readonly mains: readonly [pattern: string, target: string][];
  readonly entries: readonly [pattern: string, target: string][];
  /** The same as `require` sees them. */
  readonly required: readonly [pattern: string, target: string][];
  readonly imports: readonly [pattern: string, target: string][];
}

interface Aliases {
  readonly folder: string;
  readonly baseUrl?: string;
  readonly paths: readonly [pattern: string, targets: readonly string[]][];
}

class EcmascriptModules {
  private readonly view: ViewPaths;
  private readonly packages = new Map<string, Package>();
  private readonly byFolder = new Map<string, Package>();
  private readonly aliases: readonly Aliases[];

  constructor(view: ViewPaths) {
    this.view = view;
    const configs = view.paths.filter((path) => ecmascriptModules.configs!.test(baseName(path)));
    for (const path of configs.filter((it) => baseName(it) === "package.json")) this.addPackage(path);
    const aliasFiles = configs.filter((path) => baseName(path) !== "package.json");
    this.aliases = aliasFiles
      .map((path) => this.aliasesOf(path))
      .filter((it) => it.paths.length > 0 || it.baseUrl !== undefined)
      .sort((a, b) => b.folder.length - a.folder.length);
  }

  resolve(module: string, from: string, how?: "required"): readonly string[] {
    const folder = parentFolder(from);
    if (/^\.\.?(?:\/|$)/.test(module)) return this.relative(joinPath(folder, module), module);
    if (module.startsWith("/")) return this.file(module.slice(1));
    return this.aliased(module, folder) ?? this.ofPackage(module, folder, how);
  }

  /** A file, else the main file of the package in the directory, else its index. `..` is always a directory. */
  private relative(path: string, module: string): readonly string[] {
    const file = /(?:^|\/)\.{0,2}$/.test(module) ? undefined : this.source(path);
    if (file !== undefined) return [file];
    const it = this.byFolder.get(path);
    const main = it === undefined ? [] : this.entry(it, it.mains, ".");
    return main.length > 0 ? main : this.index(path);
  }

  private aliased(module: string, folder: string): readonly string[] | undefined {
    for (const { folder: home, paths, baseUrl } of this.aliases) {
      if (home !== "" && folder !== home && !folder.startsWith(`${home}/`)) continue;
      for (const [pattern, targets] of paths) {
        const rest = matchPattern(pattern, module);
        if (rest === undefined) continue;
        for (const target of targets) {
          const found = this.file(joinPath(baseUrl ?? home, target.replace("*", rest)));
          if (found.length > 0) return found;
        }
      }
      const found = baseUrl === undefined ? [] : this.file(joinPath(baseUrl, module));
      if (found.length > 0) return found;
    }
    return undefined;
  }

  private ofPackage(module: string, folder: string, how?: "required"): readonly string[] {
    const own = this.packageAround(folder);
    if (module.startsWith("#")) return own === undefined ? [] : this.entry(own, own.imports, module);
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module;
    const found = this.packages.get(name);
    if (found === undefined) return [];
    const subpath = `.${module.slice(name.length)}`;
    const listed = this.entry(found, how === "required" ? found.required : found.entries, subpath);
    if (listed.length > 0) return listed;
    const plain = this.file(joinPath(found.folder, subpath));
    if (plain.length > 0 && subpath !== ".") return plain;
    return this.file(joinPath(found.folder, subpath === "." ? "src" : `src/${subpath.slice(2)}`));
  }

  private entry(it: Package, entries: Package["entries"], subpath: string): readonly string[] {
    for (const [pattern, target] of entries) {
      const rest = matchPattern(pattern, subpath);
      if (rest === undefined) continue;
      const file = target.replace("*", rest).replace(/^\.\//, "");
      const sources = [file, file.replace(BUILT, "src"), file.replace(BUILT, "").replace(/^\//, "")];
      for (const place of sources) {
        const found = this.file(joinPath(it.folder, place));
        if (found.length > 0) return found;
        const bare = this.file(
          joinPath(it.folder, place.replace(/\.d(?=\.[cm]?ts$)/, "").replace(/\.[cm]?[jt]sx?$/, "")),
        );
        if (bare.length > 0) return bare;
      }
    }
    return [];
  }

  private packageAround(folder: string): Package | undefined {
    for (let at = folder; ; at = parentFolder(at)) {
      const found = this.byFolder.get(at);
      if (found !== undefined || at === "") return found;
    }
  }

  /** The source that a path means; a folder means its index. */
  private file(path: string): readonly string[] {
    const found = this.source(path);
    return found === undefined ? this.index(path) : [found];
  }

  private index(folder: string): readonly string[] {
    const found = this.source(folder === "" ? "index" : `${folder}/index`);
    return found === undefined ? [] : [found];
  }

  /** The source that a path without, with another or with its very extension means. */
  private source(path: string): string | undefined {
    const has = (it: string) => this.view.has(it);
    const extension = /\.[cm]?jsx?$/.exec(path)?.[0] ?? "";
    const stem = path.slice(0, path.length - extension.length);
    const written = (SOURCES[extension] ?? []).map((it) => stem + it).find(has);
    if (written !== undefined) return written;
    if (/\.\w+$/.test(path) && has(path)) return path;
    return EXTENSIONS.map((it) => path + it).find(has);
  }

  private addPackage(path: string): void {
    const json = asObject(parseJsonc(this.view.text(path) ?? ""));
    if (json === undefined) return;
    const folder = parentFolder(path);
    const name = typeof json.name === "string" ? json.name : "";
    const main = [json.source, json.types, json.typings, json.module, json.main].filter((it) => typeof it === "string");
    const mains = main.map((target): [string, string] => [".", target as string]);
    const plain: [string, string][] = [...mains, [".", "src/index"], [".", "index"]];
    const entries = [...flattenTargets(json.exports, ".", CONDITIONS), ...plain];
    const required = [...flattenTargets(json.exports, ".", REQUIRE_CONDITIONS), ...plain];
    const found = { folder, name, mains, entries, required, imports: flattenTargets(json.imports, "#", CONDITIONS) };
    this.byFolder.set(folder, found);
    if (name !== "" && !this.packages.has(name)) this.packages.set(name, found);
  }

  private aliasesOf(path: string, depth = 0): Aliases {
    const json = asObject(parseJsonc(this.view.text(path) ?? "")) ?? {};
    const folder = parentFolder(path);
    const options = asObject(json.compilerOptions) ?? {};
    const paths = asObject(options.paths) ?? (baseName(path).startsWith("deno") ? asObject(json.imports) : undefined);
    const baseUrl = typeof options.baseUrl === "string" ? joinPath(folder, options.baseUrl) : undefined;
    const own: Aliases["paths"] = Object.entries(paths ?? {}).map(([pattern, targets]) => [
      pattern,
      (Array.isArray(targets) ? targets : [targets]).filter((it) => typeof it === "string") as string[],
    ]);
    const parents = [json.extends].flat().filter((it): it is string => typeof it === "string" && it.startsWith("."));
    const parent =
      depth > 8 ? undefined : parents.map((it) => this.parentAliases(joinPath(folder, it), depth)).find(Boolean);
    if (parent === undefined) return { folder, paths: own, ...(baseUrl !== undefined && { baseUrl }) };
    // Paths of a parent are relative to the parent.
    const inherited = parent.paths.map(([pattern, targets]): [string, string[]] => [
      pattern,
      targets.map((target) => relative(baseUrl ?? folder, joinPath(parent.baseUrl ?? parent.folder, target))),
    ]);
    const base = baseUrl ?? parent.baseUrl;
    return { folder, paths: own.length > 0 ? own : inherited, ...(base !== undefined && { baseUrl: base }) };
  }

  private parentAliases(path: string, depth: number): Aliases | undefined {
    const found = [path, `${path}.json`].find((it) => this.view.has(it));
    return found === undefined ? undefined : this.aliasesOf(found, depth + 1);
  }
}

/** Conditions of the source tree first: it is not built. */
const CONDITIONS = ["source", "types", "import", "module", "default", "require", "node", "browser"];

const REQUIRE_CONDITIONS = ["source", "types", "require", "default", "node", "module", "import", "browser"];

/** `exports` or `imports` as a flat list of patterns and targets. */
function flattenTargets(value: unknown, key: string, conditions: readonly string[]): [string, string][] {
  if (typeof value === "string") return [[key, value]];
  if (Array.isArray(value)) return value.flatMap((it) => flattenTargets(it, key, conditions));
  const object = asObject(value);
  if (object === undefined) return [];
  const keys = Object.keys(object);
  if (keys.some((it) => it.startsWith(".") || it.startsWith("#"))) {
    return keys.flatMap((it) => flattenTargets(object[it], it, conditions));
  }
  const rank = (it: string) => (conditions.includes(it) ? conditions.indexOf(it) : conditions.length);
  return keys.toSorted((a, b) => rank(a) - rank(b)).flatMap((it) => flattenTargets(object[it], key, conditions));
}

/** The text that `*` matches; undefined if the pattern does not match. */
function matchPattern(pattern: string, text: string): string | undefined {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === text ? "" : undefined;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  if (text.length < before.length + after.length || !text.startsWith(before) || !text.endsWith(after)) return undefined;
  return text.slice(before.length, text.length - after.length);
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Such that `joinPath(folder, relative(folder, path))` is the path. */
function relative(folder: string, path: string): string {
  const up = folder === "" ? [] : folder.split("/").map(() => "..");
  return [...up, path].join("/");
}

/** JSON with comments and trailing commas, as configuration files are written; undefined when it is not even that. */
function parseJsonc(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parsed(
      text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, string?: string) => string ?? ""),
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string?: string) => string ?? ""));
  } catch {
    return undefined;
  }
}

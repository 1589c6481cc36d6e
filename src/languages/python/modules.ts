/**
 * Resolves a Python module inside a view: packages by their `__init__`, source layouts, relative imports, and folders
 * without `__init__` as far as the repository's root or the importer's own folder reaches them.
 */
import type { ModuleResolver, ViewPaths } from "../../model/language-edges.ts";
import { parentFolder } from "../packages.ts";

export const pythonModules: ModuleResolver = {
  prepare: (view) => {
    const modules = new PythonModules(view);
    return (module, from) => modules.resolve(module, from);
  },
  submodule: (module, name) => (module.endsWith(".") ? module + name : `${module}.${name}`),
};

class PythonModules {
  private readonly view: ViewPaths;
  /** Dotted name to files: several packages of a repository may share one. */
  private readonly byName = new Map<string, string[]>();
  private readonly roots = new Map<string, string>();

  constructor(view: ViewPaths) {
    this.view = view;
    for (const path of view.paths) if (/\.pyi?$/.test(path)) this.add(path);
  }

  resolve(module: string, from: string): readonly string[] {
    const dots = /^\.+/.exec(module)?.[0].length ?? 0;
    if (dots > 0) return this.relative(module.slice(dots), dots, from);
    const near = this.fileOf(parentFolder(from), module.split("."));
    const known = this.byName.get(module) ?? [];
    const best = known.toSorted((a, b) => shared(b, from) - shared(a, from) || a.length - b.length || (a < b ? -1 : 1));
    // A script's own folder is on its path; a package's is not.
    const inPackage = this.isPackage(parentFolder(from));
    return best.length > 0 ? best : inPackage ? [] : near;
  }

  private relative(rest: string, dots: number, from: string): readonly string[] {
    let folder = parentFolder(from);
    for (let up = 1; up < dots; up++) folder = parentFolder(folder);
    return this.fileOf(folder, rest === "" ? [] : rest.split("."));
  }

  private fileOf(folder: string, parts: readonly string[]): readonly string[] {
    const base = [...(folder === "" ? [] : [folder]), ...parts].join("/");
    const tries = [`${base}.py`, `${base}/__init__.py`, `${base}.pyi`, `${base}/__init__.pyi`];
    const found = tries.find((path) => this.view.has(path));
    return found === undefined ? [] : [found];
  }

  private add(path: string): void {
    const stem = path.replace(/(?:\/__init__)?\.pyi?$/, "");
    const root = this.rootOf(parentFolder(path));
    const names = new Set([within(stem, root), within(stem, ""), within(stem, sourceRoot(stem))]);
    for (const name of names) {
      if (name === "") continue;
      const known = this.byName.get(name);
      if (known === undefined) this.byName.set(name, [path]);
      else if (!known.includes(path)) known.push(path);
    }
  }

  /** The folder that holds the outermost package around a folder. */
  private rootOf(folder: string): string {
    const known = this.roots.get(folder);
    if (known !== undefined) return known;
    const root = folder !== "" && this.isPackage(folder) ? this.rootOf(parentFolder(folder)) : folder;
    this.roots.set(folder, root);
    return root;
  }

  private isPackage(folder: string): boolean {
    const base = folder === "" ? "" : `${folder}/`;
    return this.view.has(`${base}__init__.py`) || this.view.has(`${base}__init__.pyi`);
  }
}

function within(stem: string, root: string): string {
  const inside = root === "" ? stem : stem.startsWith(`${root}/`) ? stem.slice(root.length + 1) : "";
  return inside.replaceAll("/", ".");
}

/** `src` or `lib` at the top of the path. */
function sourceRoot(stem: string): string {
  return /^(?:src|lib|python)(?=\/)/.exec(stem)?.[0] ?? "";
}

/** How many leading characters two paths share, by folders. */
function shared(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a.lastIndexOf("/", at - 1);
}

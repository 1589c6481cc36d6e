/** Resolves a Rust path's module: `crate`, `self`, `super`, the crates of a workspace, files and folders of modules. */
import type { ModuleResolver, ViewPaths } from "../../model/language-edges.ts";
import { parentFolder } from "../packages.ts";

export const rustModules: ModuleResolver = {
  configs: /^Cargo\.toml$/,
  prepare: (view) => {
    const crates = new Crates(view);
    return (module, from) => crates.resolve(module, from);
  },
  submodule: (module, name) => `${module}::${name}`,
};

class Crates {
  private readonly view: ViewPaths;
  /** Folder of the sources by the crate's name. */
  private readonly byName = new Map<string, string>();
  private readonly roots: string[] = [];

  constructor(view: ViewPaths) {
    this.view = view;
    for (const path of view.paths) {
      if (!/(?:^|\/)Cargo\.toml$/.test(path)) continue;
      const folder = parentFolder(path);
      this.roots.push(folder);
      const name = /\[package\][^[]*?^\s*name\s*=\s*"([^"]+)"/ms.exec(view.text(path) ?? "")?.[1];
      if (name !== undefined) this.byName.set(name.replaceAll("-", "_"), inside(folder, "src"));
    }
    this.roots.sort((a, b) => b.length - a.length);
  }

  resolve(module: string, from: string): readonly string[] {
    const [first = "", ...rest] = module.split("::");
    if (first === "crate") return this.below(this.sourceOf(from), rest, true);
    if (first === "self" || first === "super") return this.relative(first, rest, from);
    const crate = this.byName.get(first);
    if (crate !== undefined) return this.below(crate, rest, true);
    // A sibling or child module, which paths of the 2018 edition may start with.
    return this.below(ownFolder(from), [first, ...rest], false);
  }

  private relative(first: string, rest: readonly string[], from: string): readonly string[] {
    let folder = ownFolder(from);
    let parts = rest;
    let up = first === "super" ? 1 : 0;
    while (parts[0] === "super") {
      up++;
      parts = parts.slice(1);
    }
    if (up === 0 && parts.length === 0) return [from];
    for (let i = 0; i < up; i++) folder = parentFolder(folder);
    return this.below(folder, parts, true);
  }

  /** The longest part of the path that is a file; what is left are modules written inside it. */
  private below(folder: string, parts: readonly string[], orItself: boolean): readonly string[] {
    if (parts.length > 0) {
      const base = inside(folder, parts.join("/"));
      const found = [`${base}.rs`, `${base}/mod.rs`].find((path) => this.view.has(path));
      return found === undefined ? [] : [found];
    }
    if (!orItself) return [];
    const tries = ["lib.rs", "main.rs", "mod.rs"].map((name) => inside(folder, name));
    const found = [...tries, `${folder}.rs`].find((path) => this.view.has(path));
    return found === undefined ? [] : [found];
  }

  private sourceOf(from: string): string {
    const root = this.roots.find((folder) => folder === "" || from.startsWith(`${folder}/`)) ?? "";
    const below = root === "" ? from : from.slice(root.length + 1);
    return /^src\//.test(below) ? inside(root, "src") : parentFolder(from);
  }
}

/** The folder of a file's own modules: `auth.rs` has `auth/`, `lib.rs`, `main.rs` and `mod.rs` have their folder. */
function ownFolder(path: string): string {
  return /(?:^|\/)(?:mod|lib|main)\.rs$/.test(path) ? parentFolder(path) : path.replace(/\.rs$/, "");
}

function inside(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`;
}

/** Elixir. A module has its full name in the source; the path is not used. */

import type { ImportItem } from "../../model/edges.ts";
import type { LanguageEdges, ModuleResolver } from "../../model/language-edges.ts";
import { defineLanguage } from "../define.ts";
import { nearestFile, push } from "../packages.ts";

/** References in Elixir: modules have their full names in the source, `alias` shortens them inside a file. */
const elixirEdges: LanguageEdges = {
  imports: elixirImports,
  self: ["__MODULE__"],
  base: [],
  // What starts with a capital letter is a module under its full name; a function may come from `use`.
  dynamic: /^[a-z_]/,
  exactNames: true,
  separateFunctions: true,
  moduleTypes: true,
  fullName: (written, imports) => {
    const [first = "", ...rest] = written.split(".");
    const alias = /^[A-Z]/.test(first) && imports.find(({ local }) => local === first);
    return alias ? [alias.name, ...rest].join(".") : written;
  },
  near: ({ language, kind, qualifiedName }, { imports }) => {
    if (language !== "elixir") return 0;
    if (MODULES.has(kind)) return 3;
    const owner = qualifiedName.slice(0, qualifiedName.lastIndexOf("."));
    return imports.some(({ local, name }) => local === "*" && name === owner) ? 2 : 0;
  },
  resolver: filesOfModules(),
};

const MODULES: ReadonlySet<string> = new Set(["module", "protocol"]);

function elixirImports(statement: string): ImportItem[] {
  const head = /^(alias|import|require|use)[\s(]+([A-Z]\w*(?:\.[A-Z]\w*)*)(?:\.\{([^}]*)\})?/.exec(statement);
  if (!head) return [];
  const [all, word, module = "", list] = head;
  const at = statement.indexOf(module);
  if (list !== undefined) {
    const start = all.indexOf("{") + 1;
    return [...list.matchAll(/[A-Z]\w*(?:\.[A-Z]\w*)*/g)].map(({ 0: part, index }) =>
      moduleItem(word!, `${module}.${part}`, undefined, start + index),
    );
  }
  return [moduleItem(word!, module, /\bas:\s*([A-Z]\w*)/.exec(statement)?.[1], at)];
}

function moduleItem(word: string, module: string, alias: string | undefined, at: number): ImportItem {
  const short = alias ?? module.slice(module.lastIndexOf(".") + 1);
  const local = word === "alias" || alias ? short : word === "require" ? "" : "*";
  return { module, name: module, local, at };
}

/** By convention: `MyApp.UserView` is in `…/my_app/user_view.ex`. */
function filesOfModules(): ModuleResolver {
  return {
    prepare: (view) => {
      const byName = new Map<string, string[]>();
      for (const path of view.paths)
        if (/\.exs?$/.test(path)) push(byName, path.slice(path.lastIndexOf("/") + 1).replace(/\.exs?$/, ""), path);
      return (module, from) => {
        const parts = module.split(".").map((part) => part.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase());
        const found = (byName.get(parts.at(-1) ?? "") ?? []).filter((path) => {
          const stem = `/${path.replace(/\.exs?$/, "")}`;
          return stem.endsWith(`/${parts.join("/")}`) || stem.endsWith(`/${parts.slice(1).join("/")}`);
        });
        return nearestFile(found, from);
      };
    },
  };
}

const PRIVATE: ReadonlySet<string> = new Set(["defp", "defmacrop", "defguardp", "defnp", "typep"]);

export default defineLanguage({
  id: "elixir",
  title: "Elixir",
  aliases: ["ex"],
  extensions: [".ex", ".exs"],
  interpreters: ["elixir"],
  grammar: { npm: "tree-sitter-elixir", wasm: "tree-sitter-elixir.wasm" },
  separator: ".",
  moduleOf: () => [],
  methodOwners: [],
  visibility: ({ vis, kind }) => {
    if (vis !== undefined && PRIVATE.has(vis)) return { keyword: vis, visibility: "private" };
    if (kind === "const") return { visibility: "private" };
    return kind === "use" || kind === "test" ? {} : { visibility: "public" };
  },
  // `:id` and `name:` are the names `id` and `name`.
  nameOf: (written) => written.replace(/^:(?=\w)|(?<=\w):\s*$/g, ""),
  edges: elixirEdges,
  docMarkers: ["#"],
});

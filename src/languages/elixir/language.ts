/** Elixir. A module has its full name in the source; the path is not used. */
import { defineLanguage } from "../define.ts";
import { elixirEdges } from "./edges.ts";

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

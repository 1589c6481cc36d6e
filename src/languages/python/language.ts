/** Python. A leading underscore is its word for private. */
import { defineLanguage, modulePath } from "../define.ts";
import { pythonEdges } from "./edges.ts";

export default defineLanguage({
  id: "python",
  title: "Python",
  aliases: ["py", "python3"],
  extensions: [".py", ".pyi", ".pyw"],
  filenames: ["SConstruct", "SConscript", "wscript"],
  interpreters: ["python", "python3", "pypy", "uv"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-python.wasm" },
  separator: ".",
  moduleOf: (path) => modulePath(path, ["__init__"]),
  methodOwners: ["class"],
  visibility: ({ name, kind }) => {
    if (kind === "use") return {};
    return { visibility: /^_(?!_.*__$)/.test(name) ? "private" : "public" };
  },
  edges: pythonEdges,
  docMarkers: ['r"""', 'u"""', '"""', "'''", '"', "'", "#"],
});

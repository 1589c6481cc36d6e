/** Ruby. Constants nest by `module` and `class`; the path is not used. */
import { defineLanguage } from "../define.ts";
import { rubyEdges } from "./edges.ts";

const WORDS: Readonly<Record<string, "private" | "protected" | "public">> = {
  private: "private",
  private_class_method: "private",
  protected: "protected",
  public: "public",
};

export default defineLanguage({
  id: "ruby",
  title: "Ruby",
  aliases: ["rb"],
  extensions: [".rb", ".rake", ".gemspec", ".ru", ".podspec"],
  filenames: ["Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile", "Capfile", "Brewfile"],
  interpreters: ["ruby", "jruby"],
  grammar: { npm: "@repomix/tree-sitter-wasms", wasm: "out/tree-sitter-ruby.wasm" },
  separator: ".",
  moduleOf: () => [],
  methodOwners: ["class", "module", "struct"],
  visibility: ({ vis, kind }) => {
    const visibility = vis === undefined ? undefined : WORDS[vis];
    if (visibility) return { keyword: vis!, visibility };
    return kind === "use" || kind === "test" ? {} : { visibility: "public" };
  },
  nameOf: (written) => written.replace(/^:(?=\w)/, ""),
  edges: rubyEdges,
  docMarkers: ["##", "#"],
});

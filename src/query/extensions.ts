/** Endings by which a word is known to be a file. Wider than the languages: anything that people ask for by its path. */

const EXTENSIONS = new Set(
  (
    "rs ts tsx mts cts js jsx mjs cjs py pyi go java kt kts c h cc cpp cxx hpp hh hxx cs rb rake php swift scala sbt ex exs hs lhs " +
    "lua zig sh bash zsh fish dart md mdx rst txt json jsonc json5 yaml yml toml ini cfg conf xml html htm css scss sass less " +
    "vue svelte astro sql proto graphql gql gradle cmake mk lock csproj sln fs fsx ml mli clj cljs edn erl hrl nim pl pm r jl " +
    "m mm ps1 bat cmd tf hcl nix vim el lisp scm tex csv tsv ipynb wasm wat env gemspec podspec cabal blade erb haml slim ejs hbs tpl in"
  ).split(" "),
);

const FILE_NAMES = new Set(
  (
    "makefile dockerfile rakefile gemfile procfile jenkinsfile vagrantfile cmakelists.txt license readme changelog codeowners " +
    ".gitignore .gitattributes .dockerignore .editorconfig .npmrc .nvmrc .env .bashrc .zshrc"
  ).split(" "),
);

/** Whether the text ends in a known extension that has something before it. */
export function hasCodeExtension(text: string): boolean {
  const dot = text.lastIndexOf(".");
  return dot > 0 && EXTENSIONS.has(text.slice(dot + 1).toLowerCase());
}

export function isKnownFileName(word: string): boolean {
  return FILE_NAMES.has(word.toLowerCase());
}

"""The files that are mined, and the comment syntax of their languages."""
import re

_BY_LANGUAGE = {
    "python": "py pyi", "javascript": "js mjs cjs jsx", "typescript": "ts tsx mts", "go": "go", "rust": "rs",
    "java": "java", "kotlin": "kt kts", "c": "c h", "cpp": "cc cpp cxx hpp hh hxx inl ipp", "csharp": "cs",
    "ruby": "rb rake", "php": "php", "swift": "swift", "scala": "scala sc", "elixir": "ex exs", "haskell": "hs",
    "lua": "lua", "zig": "zig", "bash": "sh bash zsh", "md": "md mdx markdown", "rst": "rst", "vue": "vue svelte",
    "erlang": "erl", "ocaml": "ml mli", "dart": "dart", "perl": "pl pm", "sql": "sql", "clojure": "clj cljs cljc",
    "proto": "proto",
}  # fmt: skip
LANGUAGE_OF = {extension: name for name, all_of in _BY_LANGUAGE.items() for extension in all_of.split()}

_FOREIGN_FOLDER = re.compile(
    r"(^|/)(vendor|vendored|_vendor|node_modules|third[_-]?party|3rdparty|external|externals|extern|deps|dist|build|"
    r"generated|gen|bundled|testdata|fixtures?|snapshots?|__snapshots__|\.git|locale|locales|i18n|migrations|compiled|min|"
    r"golden|goldens|thirdparty|subprojects|Utilities|inst/include)(/|$)",
    re.I,
)
_FOREIGN_FILE = re.compile(
    r"(\.min\.|\.pb\.|_pb2|\.generated\.|\.g\.cs|zz_generated|bindata|\.d\.ts$|Designer\.cs|lock\.|CHANGELOG|CHANGES|"
    r"HISTORY|NEWS|releases?[-_]notes|AUTHORS|LICENSE|json\.hpp|parser\.c$|unicode.*tables?)",
    re.I,
)
_HASH = {"python", "ruby", "bash", "elixir", "perl"}
_DASH = {"lua", "haskell", "sql"}


def language_of(path):
    """None for files that are not mined: other types, vendored code, generated code."""
    if _FOREIGN_FOLDER.search(path) or _FOREIGN_FILE.search(path):
        return None
    return LANGUAGE_OF.get(path.rsplit(".", 1)[-1].lower()) if "." in path else None


def line_comment_of(language):
    return "#" if language in _HASH else "--" if language in _DASH else "//"


def uses_hash(language):
    return language in _HASH


def is_generated(text):
    head = text[:600].lower()
    marks = ("do not edit", "automatically", "auto-generated", "@generated")
    return "generated" in head and any(mark in head for mark in marks)

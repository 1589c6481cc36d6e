/** Functional languages. */
import { block, comment, nested, quoted, quotedLines } from "../outline/mask.ts";
import type { DefinitionRule } from "../outline/outline.ts";
import type { LanguageRow } from "./format.ts";

const LISP_QUIET = [
  comment(";"),
  nested("#|", "|#"),
  { open: "\\\\[^\\s]|\\?\\\\?[()\"';\\[\\]](?=\\s|\\))", close: "" },
  quotedLines('"'),
];
const CHAR = { open: "'(?:\\\\[^'\\n]{1,9}|[^'\\\\\\n])'", close: "" };

export const FUNCTIONAL: readonly LanguageRow[] = [
  {
    id: "ocaml",
    title: "OCaml",
    extensions: [".ml", ".mli", ".mll", ".mly"],
    docMarkers: ["(**", "(*", "*)", "*"],
    outline: {
      quiet: [
        nested("(*", "*)"),
        { open: "\\{(?<tag>[a-z_]*)\\|", close: "|$<tag>}", lines: true, string: true },
        CHAR,
        quotedLines('"'),
      ],
      blocks: { stop: "(?!)" },
      definitions: [
        { kind: "use", is: /^(?:open!?|include)\s+(?<name>[A-Z][\w.]*)/, ends: "line" },
        { kind: "interface", is: /^module\s+type\s+(?<name>\w+)/, ends: "indent" },
        { kind: "module", is: /^(?:module\s+(?:rec\s+)?|and\s+(?=[A-Z]))(?<name>[A-Z][\w']*)/, ends: "indent" },
        {
          kind: "class",
          is: /^class\s+(?:type\s+)?(?:virtual\s+)?(?:\[[^\]\n]*\]\s*)?(?<name>[a-z_][\w']*)/,
          ends: "indent",
        },
        {
          kind: "method",
          is: /^method!?\s+(?:private\s+|virtual\s+)*(?<name>[a-z_][\w']*)/,
          ends: "indent",
          in: ["class"],
          deep: true,
        },
        { kind: "class", is: /^exception\s+(?<name>[A-Z][\w']*)/, ends: "indent" },
        {
          kind: "type",
          is: /^(?:type|and)\s+(?:nonrec\s+)?(?:(?:\([^)\n]*\)|[+!-]*['_]\w*)\s+)?(?<name>[a-z_][\w'.]*)\s*(?:=\s*(?:private\s+)?(?:[|{[<(']|[A-Z]|\.\.|[a-z_]\w*\s*(?:[a-z*]|\n|$)))/,
          ends: "indent",
          notIn: ["var"],
        },
        {
          kind: "type",
          is: /^type\s+(?:nonrec\s+)?(?:(?:\([^)\n]*\)|[+!-]*['_]\w*)\s+)?(?<name>[a-z_][\w'.]*)/,
          ends: "indent",
        },
        {
          kind: "fn",
          is: /^(?:let(?:%\w+)?|and)\s+(?:rec\s+)?(?!type\b|module\b|open\b|rec\b)(?<name>[a-z_][\w']+|[a-z]|\(\s*[^\s\w()]+\s*\))(?:\s*:\s*[^=\n]*->|\s*=\s*(?:fun|function)\b|\s+[~?(a-z_A-Z{[])/,
          ends: "indent",
          notIn: ["var"],
        },
        {
          kind: "fn",
          is: /^(?:val|external)\s+(?:mutable\s+)?(?<name>[a-z_][\w']*|\(\s*[^\s\w()]+\s*\))\s*:(?:(?!\n\s*\n|\bval\b)[\s\S])*?->/,
          ends: "indent",
        },
        {
          kind: "var",
          is: /^(?:let|and|val|external)\s+(?:rec\s+|mutable\s+)?(?!type\b|module\b|open\b)(?<name>[a-z_][\w']+|[a-z])/,
          ends: "indent",
          notIn: ["var"],
        },
        { kind: "variant", is: /^(?:\|\s*)(?<name>[A-Z][\w']*)/, ends: "line", in: ["type"], deep: true },
        {
          kind: "field",
          is: /^(?:[{;]\s*)?(?:mutable\s+)?(?<name>[a-z_][\w']*)\s*:/,
          ends: "line",
          in: ["type"],
          deep: true,
        },
      ],
    },
  },
  {
    id: "fsharp",
    title: "F#",
    extensions: [".fs", ".fsi", ".fsx"],
    aliases: ["f#", "fs"],
    docMarkers: ["///", "//"],
    modules: "declared",
    outline: {
      quiet: [nested("(*", "*)"), comment("//"), quotedLines('"""', '"""', ""), CHAR, quotedLines('"')],
      blocks: { stop: "(?!)" },
      definitions: [
        { kind: "use", is: /^open\s+(?:type\s+)?(?<name>[\w.]+)/, ends: "line" },
        { kind: "namespace", is: /^namespace\s+(?:rec\s+|global\b)*(?<name>[\w.]+)/, ends: "section", margin: true },
        {
          kind: "module",
          is: /^module\s+(?:rec\s+|(?:public|private|internal)\s+)*(?<name>[\w.]+)\s*=/,
          ends: "indent",
        },
        {
          kind: "module",
          is: /^module\s+(?:rec\s+|(?:public|private|internal)\s+)*(?<name>[\w.]+)/,
          ends: "section",
          level: 1,
          margin: true,
        },
        { kind: "class", is: /^exception\s+(?<name>\w+)/, ends: "line" },
        {
          kind: "type",
          is: /^(?:type|and)\s+(?:(?:public|private|internal)\s+)?(?:\[<[^\]\n]*>\]\s*)?(?<name>[A-Z]\w*)/,
          ends: "indent",
        },
        {
          kind: "method",
          is: /^(?:\[<[^\]\n]*>\]\s*)?(?:static\s+)?(?:abstract(?:\s+member)?|member|override|default)\s+(?:(?:private|internal|public|inline|val)\s+)*(?:\w+\.)?(?<name>\w+|``[^`\n]+``)/,
          ends: "indent",
          in: ["type"],
          deep: true,
        },
        {
          kind: "fn",
          is: /^let\s+(?:(?:rec|inline|private|internal|public)\s+)*(?<name>[A-Za-z_][\w']*|``[^`\n]+``|\([^\s\w)]+\))(?:<[^>\n]*>)?(?:\s*\(|\s+[A-Za-z_(]|\s*=\s*(?:fun|function)\b)/,
          ends: "indent",
          notIn: ["var"],
        },
        {
          kind: "var",
          is: /^let\s+(?:(?:mutable|private|internal|public|inline)\s+)*(?<name>[A-Za-z_][\w']*|``[^`\n]+``)/,
          ends: "indent",
          notIn: ["var"],
        },
        { kind: "variant", is: /^\|\s*(?<name>[A-Z]\w*)/, ends: "line", in: ["type"], deep: true },
        {
          kind: "field",
          is: /^(?:\{\s*)?(?:mutable\s+)?(?<name>[A-Z]\w*)\s*:/,
          ends: "line",
          in: ["type"],
          deep: true,
        },
      ],
    },
  },
  {
    id: "elm",
    title: "Elm",
    extensions: [".elm"],
    docMarkers: ["{-|", "{-", "-}", "--"],
    declaresModules: true,
    joinsClauses: true,
    outline: {
      quiet: [nested("{-", "-}"), comment("--"), quotedLines('"""'), CHAR, quoted('"')],
      blocks: { stop: "(?!)" },
      definitions: [
        { kind: "package", is: /^(?:port\s+|effect\s+)?module\s+(?<name>[\w.]+)/, ends: "line", margin: true },
        { kind: "use", is: /^import\s+(?<name>[\w.]+)/, ends: "line", margin: true },
        { kind: "type", is: /^type\s+(?:alias\s+)?(?<name>[A-Z]\w*)/, ends: "indent", margin: true },
        {
          kind: "fn",
          is: /^(?:port\s+)?(?!(?:type|import|module|port|infix)\b)(?<name>[a-z]\w*)\b(?=[^\n]*[=:]|\s)/,
          ends: "indent",
          margin: true,
        },
        { kind: "variant", is: /^[=|]\s*(?<name>[A-Z]\w*)/, ends: "line", in: ["type"], deep: true },
        { kind: "field", is: /^[{,]\s*(?<name>[a-z]\w*)\s*:/, ends: "line", in: ["type"], deep: true },
      ],
    },
  },
  {
    id: "clojure",
    title: "Clojure",
    extensions: [".clj", ".cljs", ".cljc", ".bb"],
    aliases: ["clj", "clojurescript"],
    ...{ docMarkers: [";;;", ";;", ";"], declaresModules: true, interpreters: ["bb"] },
    outline: {
      quiet: [comment(";"), { open: "\\\\(?:[a-z]+|[^\\s])", close: "" }, quotedLines('"')],
      blocks: { stop: "(?!)" },
      definitions: [
        topLevel("package", "ns|in-ns"),
        topLevel("fn", "[\\w.-]*\\/?defn-?|defmulti|[\\w.-]+\\/defn?-?|defmethod|deftest|defroutes|defhandler"),
        topLevel("macro", "[\\w.-]*\\/?defmacro"),
        topLevel("protocol", "defprotocol|definterface|[\\w.-]+\\/defprotocol\\+?"),
        topLevel("record", "defrecord|deftype|defstruct"),
        topLevel("var", "def|defonce|[\\w.-]*\\/?def[a-z]+"),
        { kind: "fn", is: lisp("defn-?|defmulti|defmethod"), ends: "form" },
        { kind: "macro", is: lisp("defmacro"), ends: "form" },
        { kind: "var", is: lisp("def|defonce"), ends: "form" },
        { kind: "method", is: /^\((?<name>[^\s()[\]{}"]+)\s*\[/, ends: "form", in: ["protocol", "record"] },
      ],
    },
  },
  {
    id: "lisp",
    title: "Lisp",
    extensions: [".el", ".lisp", ".cl", ".lsp"],
    aliases: ["emacs-lisp", "elisp", "common-lisp"],
    ...{ docMarkers: [";;;", ";;", ";"], interpreters: ["sbcl"], modules: "declared" },
    outline: {
      quiet: LISP_QUIET,
      blocks: { stop: "(?!)" },
      definitions: [
        topLevel("module", "defpackage|provide"),
        topLevel(
          "fn",
          "(?:cl-)?def(?:un|subst|generic|method|advice|ine-advice|ine-inline|setf)\\*?|define-derived-mode|define-minor-mode|define-compiler-macro",
        ),
        topLevel("macro", "(?:cl-)?defmacro\\*?|define-modify-macro"),
        topLevel("struct", "(?:cl-)?def(?:struct|class|type)|define-condition|define-error"),
        topLevel("const", "defconst|defconstant"),
        topLevel("var", "def(?:var|parameter|custom|face|group|alias|image)(?:-local|-keymap|-mode)?"),
        { kind: "use", is: /^\((?:require|use-package)\s+[':]?(?<name>[^\s()'"]+)/, ends: "form", margin: true },
      ],
    },
  },
  {
    id: "scheme",
    title: "Scheme",
    extensions: [".scm", ".ss", ".rkt", ".sld"],
    aliases: ["racket"],
    docMarkers: [";;;", ";;", ";"],
    outline: {
      quiet: LISP_QUIET,
      blocks: { stop: "(?!)" },
      definitions: [
        { kind: "module", is: lisp("define-library|library|module"), ends: "form" },
        { kind: "fn", is: /^\(define(?:-public|\*|\/contract|\/public)?\s+\(+(?<name>[^\s()[\]"';]+)/, ends: "form" },
        { kind: "macro", is: /^\(define-syntax(?:-rule)?\s+\(?(?<name>[^\s()[\]"';]+)/, ends: "form" },
        { kind: "struct", is: lisp("define-record-type|define-struct|struct"), ends: "form" },
        { kind: "var", is: lisp("define(?:-public|\\*|-values)?"), ends: "form" },
      ],
    },
  },
  {
    id: "erlang",
    title: "Erlang",
    extensions: [".erl", ".hrl", ".escript"],
    interpreters: ["escript"],
    ...{
      docMarkers: ["%%%", "%%", "%"],
      declaresModules: true,
      nameOf: (written: string) => written.replace(/^'|'$/g, ""),
    },
    outline: {
      quiet: [comment("(?<!\\$)%"), { open: "\\$(?:\\\\.|[^\\s])", close: "" }, quotedLines('"'), quoted("'")],
      blocks: { stop: "\\.(?=\\s|$)" },
      definitions: [
        { kind: "package", is: /^-module\(\s*(?<name>[\w@]+|'[^'\n]+')/, ends: "line", margin: true },
        {
          kind: "use",
          is: /^-(?:include|include_lib|import|behaviou?r)\(\s*(?<name>"[^"\n]+"|\w+)/,
          ends: "line",
          margin: true,
        },
        { kind: "record", is: /^-record\(\s*(?<name>\w+|'[^'\n]+')/, ends: "statement", margin: true },
        { kind: "macro", is: /^-define\(\s*(?<name>\w+)/, ends: "statement", margin: true },
        {
          kind: "type",
          is: /^-(?:type|opaque|nominal)\s*\(?\s*(?<name>\w+|'[^'\n]+')\s*\(/,
          ends: "statement",
          margin: true,
        },
        { kind: "method", is: /^-callback\s+(?<name>\w+)\s*\(/, ends: "statement", margin: true },
        // An indented line continues a clause or a specification.
        { kind: "fn", is: /^(?<name>[a-z][\w@]*|'[^'\n]+')\s*\(/, ends: "statement", maxIndent: 0 },
      ],
    },
  },
  {
    id: "nix",
    title: "Nix",
    extensions: [".nix"],
    docMarkers: ["/**", "/*", "*/", "#", "*"],
    outline: {
      quiet: [
        comment("#"),
        block("/*", "*/"),
        { open: "''", close: "''", string: true, lines: true },
        quotedLines('"'),
      ],
      definitions: [
        {
          kind: "fn",
          is: /^(?<name>[A-Za-z_][\w'.-]*|"[^"\n]+")\s*=\s*(?:\{[^{}]*\}(?:\s*@\s*\w+)?|(?:\w+\s*@\s*)?\{[^{}]*\}|[A-Za-z_][\w']*)\s*:(?![/\w])/,
          ends: "statement",
        },
        { kind: "var", is: /^(?<name>[A-Za-z_][\w'.-]*|"[^"\n]+")\s*=(?!=)/, ends: "statement", top: true },
        { kind: "property", is: /^(?<name>[A-Za-z_][\w'.-]*|"[^"\n]+")\s*=(?!=)/, ends: "statement", depth: 1 },
      ],
    },
  },
];

/** A form at the left margin. */
function topLevel(kind: DefinitionRule["kind"], words: string): DefinitionRule {
  return { kind, is: lisp(words), ends: "form", margin: true };
}

function lisp(words: string): RegExp {
  return new RegExp(`^\\((?:${words})\\s+(?:\\^(?:\\{[^}\\n]*\\}|\\S+)\\s+)*['#:]*\\(?(?<name>[^\\s()\\[\\]{}"';]+)`);
}

/**
 * Vue, Svelte, Astro and HTML: their scripts are read as TypeScript. What surrounds a script is blanked out for the grammar, so
 * that every position is one of the file. Components and expressions of the template count as uses of the script's names.
 */
import { defineLanguage, type Language } from "../define.ts";
import typescript from "../typescript/language.ts";

interface ComponentFormat {
  readonly id: string;
  readonly title: string;
  readonly extensions: readonly string[];
  readonly aliases?: readonly string[];
  /** A script between `---` lines at the top. */
  readonly fenced?: true;
  /** What holds an expression in the template, beside bound attributes. */
  readonly braces?: "{{" | "{";
}

const FORMATS: readonly ComponentFormat[] = [
  { id: "vue", title: "Vue", extensions: [".vue"], braces: "{{" },
  { id: "svelte", title: "Svelte", extensions: [".svelte"], braces: "{" },
  { id: "astro", title: "Astro", extensions: [".astro"], braces: "{", fenced: true },
  { id: "html", title: "HTML", extensions: [".html", ".htm", ".xhtml"], aliases: ["htm"] },
];

export const COMPONENTS: readonly Language[] = FORMATS.map(({ fenced, braces, ...it }) => {
  const { contested: _, dialect: __, interpreters: ___, ...shared } = typescript;
  return defineLanguage({
    ...shared,
    aliases: [],
    ...it,
    moduleSystem: "typescript",
    grammar: { ...typescript.grammar!, of: "typescript" },
    quiet: (text) => onlyScripts(text, { fenced, braces }),
  });
});

/** Comments, styles and scripts, tags of components, bound attributes and expressions, in the order of the text. */
const PARTS = /<!--|<(style|script)\b([^>]*)>|<\/?([A-Z][\w.]*)|(?:[:@#]|v-)[\w.:-]*\s*=\s*(["'])|(\{\{?)/g;
const OTHER_TYPE = /\btype\s*=\s*["']?(?!module\b|text\/(?:javascript|babel|typescript)|application\/javascript)/i;

/**
 * The text with scripts alone. Uses in the template become spaces, which `parse` reads as names; the rest becomes tabs.
 */
function onlyScripts(
  text: string,
  { fenced, braces }: { fenced: true | undefined; braces: string | undefined },
): string {
  let seen = "";
  let done = 0;
  const hide = (to: number) => {
    seen += blanked(text.slice(done, to), "\t");
    done = to;
  };
  const use = (from: number, to: number) => {
    hide(from);
    seen += blanked(text.slice(from, to), " ");
    done = to;
  };
  const keep = (from: number, to: number) => {
    hide(from);
    seen += text.slice(from, to);
    done = to;
  };
  const until = (mark: string, from: number) => {
    const at = text.indexOf(mark, from);
    return at < 0 ? text.length : at;
  };
  const front = fenced ? /^\s*---[ \t]*\r?\n/.exec(text) : null;
  if (front) {
    const end = until("\n---", front[0].length);
    keep(front[0].length, end);
    done = end;
  }
  const parts = new RegExp(PARTS, "g");
  parts.lastIndex = done;
  for (let it = parts.exec(text); it; it = parts.exec(text)) {
    const inner = it.index + it[0].length;
    let end = inner;
    if (it[0] === "<!--") end = until("-->", inner);
    else if (it[1] !== undefined) {
      end = until(`</${it[1]}`, inner);
      if (it[1] === "script" && !OTHER_TYPE.test(it[2]!)) keep(inner, end);
    } else if (it[3] !== undefined) use(inner - it[3].length, inner);
    else if (it[4] !== undefined && braces) {
      end = until(it[4], inner);
      use(inner, end);
    } else if (it[5] === braces) {
      end = until(braces === "{{" ? "}}" : "}", inner);
      use(inner, end);
    }
    parts.lastIndex = Math.max(end, inner);
  }
  hide(text.length);
  return seen;
}

function blanked(text: string, by: string): string {
  return text.replace(/[^\n]/g, by);
}

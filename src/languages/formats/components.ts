/**
 * Vue, Svelte, Astro and HTML: their scripts are read as TypeScript. What surrounds a script is blanked out for the grammar, so
 * that every position is one of the file. Components and expressions of the template count as uses of the script's names. The
 * file itself is a component with the name of the file, where its markup is.
 */
import type { RawDefinition } from "../../ports/grammars.ts";
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
  /** Tags in kebab case may be components, too. */
  readonly kebab?: true;
}

const FORMATS: readonly ComponentFormat[] = [
  { id: "vue", title: "Vue", extensions: [".vue"], braces: "{{", kebab: true },
  { id: "svelte", title: "Svelte", extensions: [".svelte"], braces: "{" },
  { id: "astro", title: "Astro", extensions: [".astro"], braces: "{", fenced: true },
  { id: "html", title: "HTML", extensions: [".html", ".htm", ".xhtml"], aliases: ["htm"] },
];

export const COMPONENTS: readonly Language[] = FORMATS.map(({ fenced, braces, kebab, ...it }) => {
  const { contested: _, dialect: __, interpreters: ___, ...shared } = typescript;
  return defineLanguage({
    ...shared,
    aliases: [],
    ...it,
    moduleSystem: "typescript",
    grammar: { ...typescript.grammar!, of: "typescript" },
    quiet: (text) => onlyScripts(text, { fenced, braces, kebab }),
    ...(braces && { component: componentOf }),
  });
});

/** Comments, styles and scripts, tags of components, bound attributes and expressions, in the order of the text. */
const PARTS =
  /<!--|<(style|script)\b([^>]*)>|<\/?([A-Z][\w.]*|[a-z][a-z0-9]*(?:-[a-z0-9]+)+)|(?:[:@#]|v-)[\w.:-]*\s*=\s*(["'])|(\{\{?)/g;
const OTHER_TYPE = /\btype\s*=\s*["']?(?!module\b|text\/(?:javascript|babel|typescript)|application\/javascript)/i;

/**
 * The text with scripts alone. Uses in the template become spaces, which `parse` reads as names, and components form
 * feeds; the rest becomes tabs.
 */
function onlyScripts(text: string, { fenced, braces, kebab }: Record<"fenced" | "braces" | "kebab", unknown>): string {
  let seen = "";
  let done = 0;
  const hide = (to: number) => {
    seen += blanked(text.slice(done, to), "\t");
    done = to;
  };
  const use = (from: number, to: number, by = " ") => {
    hide(from);
    seen += blanked(text.slice(from, to), by);
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
    } else if (it[3] !== undefined && (kebab || !it[3].includes("-"))) use(inner - it[3].length, inner, "\f");
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

/** What is no markup: scripts, styles and the front matter of Astro. */
const NO_MARKUP = /^\s*---[ \t]*\r?\n[\s\S]*?\n---|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/g;

/** The component of a file: its name, and the longest stretch of its markup. */
function componentOf(path: string, text: string): RawDefinition {
  let [start, end, from] = [0, 0, 0];
  for (const { index, 0: part } of [...text.matchAll(NO_MARKUP), { index: text.length, 0: "" }]) {
    const [first, last] = trimmed(text, from, index);
    if (last - first > end - start) [start, end] = [first, last];
    from = index + part.length;
  }
  const [startRow, rows] = [rowsIn(text, 0, start), rowsIn(text, start, end)];
  const place = { start, end, startRow, endRow: startRow + rows };
  return { kind: "component", name: componentName(path), ...place, nameStart: start, nameEnd: start, bodyStart: start };
}

function trimmed(text: string, from: number, to: number): [first: number, last: number] {
  const part = text.slice(from, to);
  const first = from + part.length - part.trimStart().length;
  return [first, Math.max(first, from + part.trimEnd().length)];
}

function rowsIn(text: string, from: number, to: number): number {
  let rows = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) rows++;
  return rows;
}

/** `user-card.vue` and `user-card/index.vue` are `UserCard`. */
function componentName(path: string): string {
  const parts = path.split("/");
  const stem = parts.pop()!.replace(/\.[^.]+$/, "");
  const folder = parts.at(-1);
  const name = stem === "index" && folder && /[A-Z-]/.test(folder) ? folder : stem;
  return /^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/.test(name) ? pascalCase(name) : name;
}

/** `user-card` → `UserCard`; a name that has capitals keeps them. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

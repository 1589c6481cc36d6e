/**
 * Imports captured: import statements found by a line-based scan, compared with those the product extracts.
 * `node bench/imports.ts LANGUAGE DIRECTORY [FILES]` prints one row of the table in docs/references.md.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { TreeSitterGrammars } from "../src/adapters/treesitter/grammars.ts";
import { grammarSources } from "../src/adapters/treesitter/locate.ts";
import { extract } from "../src/ingest/extract.ts";
import { extractFacts } from "../src/ingest/facts.ts";
import { detectLanguage, LANGUAGES } from "../src/languages/index.ts";
import { lineStarts } from "../src/text/lines.ts";

const [id = "", directory = "", most = "1500"] = process.argv.slice(2);
/** As one would search for them with grep. */
const STATEMENT: Readonly<Record<string, RegExp>> = {
  typescript: /^\s*(?:import\s+(?!type\s*=)[\w{*"'][^=(]*|export\s+(?:\*|\{[^}]*\})\s+from\b)/,
  javascript:
    /^\s*(?:import\s+[\w{*"']|export\s+(?:\*|\{[^}]*\})\s+from\b|(?:const|let|var)\s+[^=]+=\s*require\(\s*["'])/,
  python: /^\s*(?:import\s+[\w.]+(?:\s+as\s+\w+)?\s*(?:,|#|;|$)|from\s+[\w.]+\s+import\b)/,
  go: /^\s*(?:import\s+(?:[\w.]+\s+)?"[^"]+"|(?:[\w.]+\s+)?"[\w.~/-]+"\s*(?:\/\/.*)?$)/,
  rust: /^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+[\w:{*]/,
  java: /^\s*import\s+(?:static\s+)?[\w.]+/,
  kotlin: /^\s*import\s+[\w.`]+/,
  scala: /^\s*import\s+[\w.`]+/,
  csharp: /^\s*(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?[\w.:]+\s*;/,
  c: /^\s*#\s*include\s*[<"]/,
  cpp: /^\s*#\s*include\s*[<"]/,
  ruby: /^\s*(?:require|require_relative)\s*\(?\s*["'][^"'#]+["']/,
  php: /^use\s+(?:function\s+|const\s+)?[\w\\]+/,
  swift: /^\s*(?:@\w+\s+)*import\s+\w+/,
};
/** Lines of Go inside an `import ( … )`. */
const OPENS: Readonly<Record<string, RegExp>> = { go: /^import\s*\(/ };

const language = LANGUAGES.find((it) => it.id === id)!;
const grammars = new TreeSitterGrammars(grammarSources(LANGUAGES));
await grammars.prepare([id]);

let [total, captured, extra, files] = [0, 0, 0, 0];
const missed: string[] = [];
for (const path of walk(directory)) {
  if (files >= Number(most)) break;
  const text = readFileSync(path, "utf8");
  if (text.length > 1 << 20 || detectLanguage(path, text).id !== id) continue;
  files++;
  count(relative(directory, path), text);
}
const rate = total === 0 ? 1 : captured / total;
console.log(
  `${id} ${directory.split("/").at(-1)} files ${files} statements ${total} captured ${captured} ${(100 * rate).toFixed(2)} % more ${extra}`,
);
for (const line of missed.slice(0, 12)) console.log(`  missed ${line}`);

function count(path: string, text: string): void {
  const quiet = language.quiet?.(text) ?? text;
  const parsed = grammars.parse(id, quiet, 30_000);
  const places: number[] = [];
  const symbols = extract(language, path, text, parsed, places);
  const facts =
    parsed.edges &&
    extractFacts({ language, path, text, lineStarts: lineStarts(text), symbols, places, edges: parsed.edges });
  const ours = new Set(facts?.imports.map(({ line }) => line));
  const lines = withoutComments(text).split("\n");
  const expected = new Set<number>();
  let open = OPENS[id] === undefined;
  for (const [i, line] of lines.entries()) {
    if (OPENS[id]?.test(line)) open = true;
    else if (OPENS[id] && open && /^\)/.test(line)) open = false;
    const isOne = STATEMENT[id]!.test(line) && (open || /^\s*import\b/.test(line));
    if (!isOne) continue;
    total++;
    const end = endOf(lines, i);
    let found = false;
    for (let at = i; at <= end; at++) {
      expected.add(at + 1);
      found ||= ours.has(at + 1);
    }
    if (found) captured++;
    else missed.push(`${path}:${i + 1} ${line.trim().slice(0, 100)}`);
  }
  for (const line of ours) if (!expected.has(line)) extra++;
}

/** Last line of a statement whose brackets close later. */
function endOf(lines: readonly string[], start: number): number {
  let depth = 0;
  for (let i = start; i < Math.min(lines.length, start + 200); i++) {
    for (const char of lines[i]!) depth += "{(".includes(char) ? 1 : "})".includes(char) ? -1 : 0;
    if (depth <= 0 && !/\\$/.test(lines[i]!)) return i;
  }
  return start;
}

/** Blanks block comments and the longest kinds of strings. */
function withoutComments(text: string): string {
  const patterns =
    id === "python"
      ? /"""[\s\S]*?"""|'''[\s\S]*?'''/g
      : id === "ruby"
        ? /^=begin[\s\S]*?^=end/gm
        : /\/\*[\s\S]*?\*\/|`[^`]*`|"""[\s\S]*?"""/g;
  if (id === "go") return text.replace(/\/\*[\s\S]*?\*\//g, blank);
  return text.replace(patterns, blank);
}

function blank(all: string): string {
  return all.replace(/[^\n]/g, " ");
}

function* walk(folder: string): Iterable<string> {
  for (const name of readdirSync(folder).sort()) {
    if (name === ".git" || name === "node_modules") continue;
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) yield* walk(path);
    else if (stat?.isFile()) yield path;
  }
}

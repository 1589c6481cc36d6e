/**
 * Answers of "no use" that the text contradicts: `node bench/oracle/zero.ts NAME=PATH… [--symbols 50] [--out DIR]`.
 * Draws symbols of every language with references, and lists those without any use whose name occurs in code that defines
 * nothing of that name. A person judges the list: a local variable of the name, or another class's method, is no use.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { READABLE } from "../../src/languages/index.ts";
import { referenceRules } from "../../src/navigate/reference-rules.ts";
import { searchReferences } from "../../src/navigate/references.ts";
import { unreadLines } from "../../src/navigate/unread-lines.ts";
import type { Snapshot } from "../../src/ports/snapshot.ts";
import { indexProject, type Sampled, sample } from "./project.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { symbols: { type: "string", default: "50" }, out: { type: "string", default: "oracle-results" } },
});
const languages = new Set(READABLE.filter(({ edges }) => edges).map(({ id }) => id));
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!include|define|if)|--|%|;;|=begin|""")/;
const total = { symbols: 0, zero: 0, partial: 0, doubtful: 0 };
for (const project of positionals) {
  const [name, path] = project.split("=") as [string, string];
  const at = await indexProject(resolve(path), join(resolve(values.out), "stores", name));
  const texts = await codeOf(at);
  const paths = new Set((await at.files()).map((file) => file.path));
  for (const symbol of await sample(at, { languages, count: Number(values.symbols), paths })) {
    total.symbols++;
    const { edges, limits, doubts } = await searchReferences(symbol, at, referenceRules);
    if (edges.length > 0) continue;
    total.zero++;
    const record = await at.record((await at.file(symbol.path))!);
    if (limits.length > 0 || (await unreadLines(record, symbol.index, doubts, at)).length > 0) {
      total.partial++;
      continue;
    }
    const lines = await linesWith(symbol, texts, at);
    if (lines.length === 0) continue;
    total.doubtful++;
    console.log(`\n${name}: ${symbol.kind} ${symbol.name} @${symbol.path} (${lines.length})`);
    for (const line of lines.slice(0, 4)) console.log(`    ${line}`);
  }
}
console.log(
  `\n${total.symbols} symbols, ${total.zero} without uses, ${total.partial} of them partial, ${total.doubtful} to judge`,
);
process.exit(0);

async function codeOf(at: Snapshot): Promise<Map<string, { language: string; lines: readonly string[] }>> {
  const texts = new Map<string, { language: string; lines: readonly string[] }>();
  for (const file of await at.files())
    if (languages.has(file.language))
      texts.set(file.path, { language: file.language, lines: (await at.text(file)).split("\n") });
  return texts;
}

async function linesWith(symbol: Sampled, texts: Awaited<ReturnType<typeof codeOf>>, at: Snapshot): Promise<string[]> {
  const word = new RegExp(`(?<![\\w$@])${symbol.name.replace(/[$#]/g, "\\$&")}(?![\\w$])`);
  const family = familyOf(texts.get(symbol.path)!.language);
  const { candidates } = await at.symbols({ name: symbol.name, match: "exact", limit: 400 });
  const defined = new Set<string>();
  for (const { file, index } of candidates) {
    const { span } = (await at.record(file)).symbols[index]!;
    // The name is in one of the first lines.
    for (let line = span.lineStart; line <= Math.min(span.lineEnd, span.lineStart + 3); line++)
      defined.add(`${file.path}:${line}`);
  }
  const found: string[] = [];
  for (const [path, { language, lines }] of texts) {
    if (familyOf(language) !== family) continue;
    for (const [i, line] of lines.entries())
      if (word.test(line) && !COMMENT.test(line) && !defined.has(`${path}:${i + 1}`))
        found.push(`${path}:${i + 1}  ${line.trim().slice(0, 120)}`);
  }
  return found;
}

function familyOf(language: string): string {
  return /^(?:typescript|tsx|javascript|flow)$/.test(language)
    ? "ecmascript"
    : /^(?:c|cpp)$/.test(language)
      ? "c"
      : language;
}

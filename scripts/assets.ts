/** Copies into dist what is read at run time and is not code: grammars and queries. */
import { copyFileSync, existsSync, globSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LANGUAGES } from "../src/languages/index.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

function copyGrammars(): string[] {
  rmSync(join(dist, "grammars"), { recursive: true, force: true });
  const missing: string[] = [];
  for (const { id, grammar } of LANGUAGES) {
    if (!grammar) continue;
    const from = join(root, "node_modules", grammar.npm, grammar.wasm);
    if (existsSync(from)) copy(from, join(dist, "grammars", basename(grammar.wasm)));
    else missing.push(`${id}: ${grammar.npm}/${grammar.wasm}`);
  }
  return missing;
}

function copyQueries(): void {
  for (const query of globSync("languages/*/*.scm", { cwd: join(root, "src") })) {
    copy(join(root, "src", query), join(dist, query));
  }
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

const missing = copyGrammars();
copyQueries();
if (missing.length > 0) {
  process.stderr.write(`No grammar for:\n  ${missing.join("\n  ")}\nRun \`npm install\` again.\n`);
  process.exitCode = 1;
}

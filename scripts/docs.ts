/** Writes docs/*.md from the registries. With --check, lists the stale ones and fails. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cliPage } from "./docs/cli.ts";
import { configPage } from "./docs/config.ts";
import { errorsPage } from "./docs/errors.ts";
import { languagesPage } from "./docs/languages.ts";
import { toolsPage } from "./docs/tools.ts";

const docs = resolve(dirname(fileURLToPath(import.meta.url)), "..", "docs");
const NOTE = "<!-- Made by `npm run docs`; edit the registry it comes from, not this page. -->\n\n";

/** Every generated page by file name, with the text it should have. */
export async function pages(): Promise<Record<string, string>> {
  const made = {
    "cli.md": await cliPage(),
    "config.md": configPage(),
    "errors.md": errorsPage(),
    "languages.md": languagesPage(),
    "tools.md": toolsPage(),
  };
  return Object.fromEntries(Object.entries(made).map(([file, text]) => [file, NOTE + text]));
}

/** The pages whose file differs. */
export async function stalePages(): Promise<string[]> {
  const wanted = Object.entries(await pages());
  return wanted.filter(([file, text]) => current(file) !== text).map(([file]) => `docs/${file}`);
}

function current(file: string): string | undefined {
  const path = join(docs, file);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes("--check")) {
    const stale = await stalePages();
    if (stale.length === 0) return;
    process.stderr.write(`Stale: ${stale.join(", ")}\nRun \`npm run docs\` and commit what it writes.\n`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(docs, { recursive: true });
  for (const [file, text] of Object.entries(await pages())) writeFileSync(join(docs, file), text);
}

if (import.meta.main) await main(process.argv.slice(2));

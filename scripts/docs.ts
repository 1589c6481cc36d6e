/** Writes what is made from the registries: pages of docs/, notices of other software. With --check, lists the stale ones and fails. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cliPage } from "./docs/cli.ts";
import { configPage } from "./docs/config.ts";
import { errorsPage } from "./docs/errors.ts";
import { languagesPage } from "./docs/languages.ts";
import { noticesPage, sbom } from "./docs/notices.ts";
import { toolsPage } from "./docs/tools.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const NOTE = "<!-- Made by `npm run docs`; edit the registry it comes from, not this page. -->\n\n";

/** Every generated file by its path from the root, with the text it should have. */
async function generated(): Promise<Record<string, string>> {
  return {
    "docs/cli.md": NOTE + (await cliPage()),
    "docs/config.md": NOTE + configPage(),
    "docs/errors.md": NOTE + errorsPage(),
    "docs/languages.md": NOTE + languagesPage(),
    "docs/tools.md": NOTE + toolsPage(),
    THIRD_PARTY_NOTICES: noticesPage(),
    "sbom.cdx.json": sbom(),
  };
}

/** The generated files whose text differs. */
export async function stalePages(): Promise<string[]> {
  const wanted = Object.entries(await generated());
  return wanted.filter(([file, text]) => current(file) !== text).map(([file]) => file);
}

function current(file: string): string | undefined {
  const path = join(root, file);
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
  for (const [file, text] of Object.entries(await generated())) writeFileSync(join(root, file), text);
}

if (import.meta.main) await main(process.argv.slice(2));

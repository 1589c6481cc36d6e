/**
 * Bundles src into dist. Measured on the CLI with the MCP SDK: 170 ms to load as some 200 files, 130 ms bundled, 80 ms
 * bundled with the compile cache; `node -e 0` takes 30 ms. Packages with native or wasm parts stay external.
 */
import { existsSync, globSync, rmSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputOptions, type Plugin, rolldown } from "rolldown";
import { bundleUi } from "./ui.ts";

type CodeSplittingGroup = NonNullable<Exclude<OutputOptions["codeSplitting"], boolean | undefined>["groups"]>[number];

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const src = resolve(root, "src");

// jsonc-parser finds its parts by a `require` that no bundler sees.
const EXTERNAL = ["better-sqlite3", "web-tree-sitter", "hash-wasm", "jsonc-parser", "pg", "pg-copy-streams"];

/** `dir` must be in the package's root: external packages are resolved relative to it. */
export async function bundle(dir: string): Promise<void> {
  for (const stale of globSync("**/*.js", { cwd: dir })) rmSync(resolve(dir, stale));
  const moments = momentsOf();
  const build = await rolldown({
    input: Object.fromEntries(entries().map((file) => [relative(src, file).replace(/\.ts$/, ""), file])),
    platform: "node",
    external: EXTERNAL,
    plugins: [keepModuleUrls(), moments.plugin, asciiOnly()],
  });
  await build.write({
    dir,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    codeSplitting: { groups: moments.groups },
  });
  await build.close();
  await bundleUi(dir);
}

/** One non-ASCII character makes V8 store a whole chunk with two bytes per character, which takes four times as long to read. */
function asciiOnly(): Plugin {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return {
    name: "ascii-only",
    // The last step: any later printing of the code would undo it.
    generateBundle(_, chunks) {
      for (const chunk of Object.values(chunks))
        if (chunk.type === "chunk") chunk.code = chunk.code.replace(/[^\0-\x7f]/g, escaped);
    },
  };
}

function entries(): string[] {
  const named = ["cli/main.ts", "index.ts"].map((file) => resolve(src, file)).filter((file) => existsSync(file));
  const workers = globSync("compose/*-worker.ts", { cwd: src }).map((file) => resolve(src, file));
  return [...named, ...workers];
}

/**
 * Groups modules that are loaded together: a first answer loaded some 45 chunks, which took 15 ms longer than these few.
 * A module belongs to all stages at which it is needed; modules of the same stages form one chunk.
 */
const MOMENTS: Readonly<Record<string, RegExp>> = {
  launch: /^cli\/main\.ts$/,
  start: /^(cli\/program|cli\/commands\/serve-mcp|mcp\/stdio)\.ts$/,
  answer: /^(cli\/tool-commands|compose\/compose)\.ts$/,
  parse: /^compose\/(parse|survey|scan)-worker\.ts$/,
  store: /^compose\/(job|reader)-worker\.ts$/,
};

function momentsOf(): { readonly plugin: Plugin; readonly groups: CodeSplittingGroup[] } {
  const momentsById = new Map<string, string>();
  const plugin: Plugin = {
    name: "moments",
    buildEnd() {
      const ids = [...this.getModuleIds()];
      for (const [moment, starts] of Object.entries(MOMENTS)) {
        const first = ids.filter((id) => starts.test(relative(src, id).replaceAll("\\", "/")));
        const reached = new Set<string>();
        for (const id of first) reach(id, reached, (from) => this.getModuleInfo(from)?.importedIds ?? []);
        for (const id of reached) momentsById.set(id, `${momentsById.get(id) ?? ""}${moment} `);
      }
      for (const id of ids) if (this.getModuleInfo(id)?.isEntry) momentsById.delete(id);
    },
  };
  const names = Object.keys(MOMENTS);
  const sets = Array.from({ length: 2 ** names.length - 1 }, (_, at) =>
    names.filter((_, bit) => (at + 1) & (1 << bit)),
  );
  // Modules needed at more stages are imported by those needed at fewer, never the other way round.
  const groups = sets.map((set) => ({
    name: set.join("-"),
    test: (id: string) => momentsById.get(id) === set.map((name) => `${name} `).join(""),
    priority: set.length,
  }));
  return { plugin, groups };
}

function reach(id: string, reached: Set<string>, importsOf: (id: string) => readonly string[]): void {
  if (reached.has(id)) return;
  reached.add(id);
  for (const next of importsOf(id)) reach(next, reached, importsOf);
}

/** Keeps `import.meta.url` as in src, so that a module still finds workers, queries and package.json by relative path. */
function keepModuleUrls(): Plugin {
  const placeholder = /__MODULE_URL\("([^"]+)"\)/g;
  return {
    name: "keep-module-urls",
    transform(code, id) {
      if (!id.startsWith(src) || !code.includes("import.meta.url")) return null;
      const place = relative(src, id).replace(/\.ts$/, ".js");
      return { code: code.replaceAll("import.meta.url", `__MODULE_URL("${place}")`) };
    },
    renderChunk(code, chunk) {
      const from = dirname(chunk.fileName);
      return code.replace(
        placeholder,
        (_, place) => `new URL(${JSON.stringify(relativeUrl(from, place))}, import.meta.url).href`,
      );
    },
  };
}

function relativeUrl(from: string, to: string): string {
  const path = relative(from, to);
  return path.startsWith(".") ? path : `./${path}`;
}

if (import.meta.main) await bundle(resolve(root, "dist"));

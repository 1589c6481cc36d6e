/**
 * The shipped model alone on a retrieval suite, in the published setting: windows of whole lines of code files, by
 * cosine, no ranking, no path. Writes the input of score.py.
 *
 *   node bench/retrieval/model-alone.ts --suite DIR --checkouts DIR [--characters 1500] --out run.jsonl
 */
import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { crc32 } from "node:zlib";
import { StaticEncoder } from "../../src/embed/static-encoder.ts";
import { openModel } from "../../src/embed/static-model.ts";

const { values: options } = parseArgs({
  options: {
    suite: { type: "string" },
    checkouts: { type: "string" },
    characters: { type: "string", default: "1500" },
    out: { type: "string", default: "run.jsonl" },
  },
});
if (!options.suite || !options.checkouts) throw new Error("--suite DIR and --checkouts DIR are needed");

const CODE =
  "py pyi js ts tsx mjs cjs jsx go rs java kt kts c h cc cpp hpp hh cxx inl cs rb rake php swift scala ex exs hs lua zig sh bash zsh bats";
const LARGEST = 1 << 20;
const LIMIT = 10;
const encoder = new StaticEncoder(
  openModel(readFileSync(new URL("../../assets/model/codestatic.bin", import.meta.url)), crc32),
);

interface Window {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly vector: Float32Array;
}

const lines: string[] = [];
for (const { name, root } of readJson<{ name: string; root?: string }[]>(join(options.suite, "suite.json"))) {
  const shown = windowsBelow(join(options.checkouts, name, root ?? ""));
  for (const { query } of readJson<{ query: string }[]>(join(options.suite, "annotations", `${name}.json`))) {
    const results = closest(query, shown).map(({ path, start, end }) => ({ path, line_start: start, line_end: end }));
    lines.push(JSON.stringify({ repo: name, query, results }));
  }
}
writeFileSync(options.out, lines.join("\n"));

function closest(query: string, shown: readonly Window[]): readonly Window[] {
  const asked = encoder.query(query);
  if (asked === undefined) return [];
  const bySimilarity = shown.map((window) => ({ window, similarity: dot(asked, window.vector) }));
  bySimilarity.sort((a, b) => b.similarity - a.similarity);
  return bySimilarity.slice(0, LIMIT).map(({ window }) => window);
}

function windowsBelow(root: string): readonly Window[] {
  const files = globSync(`**/*.{${CODE.split(" ").join(",")}}`, { cwd: root, exclude: ["**/.git", "**/node_modules"] });
  return files.sort().flatMap((path) => {
    const { size } = statSync(join(root, path));
    if (size > LARGEST) return [];
    const text = readFileSync(join(root, path), "utf8");
    return windowsOf(text).map(({ body, ...lines }) => ({ path, ...lines, vector: encoder.document({ text: body }) }));
  });
}

function windowsOf(text: string): { start: number; end: number; body: string }[] {
  const windows: { start: number; end: number; body: string }[] = [];
  let held: string[] = [];
  let size = 0;
  const close = (end: number) => {
    const body = held.join("\n");
    if (body.trim() !== "") windows.push({ start: end - held.length + 1, end, body });
    held = [];
    size = 0;
  };
  const all = text.split("\n");
  for (const [at, line] of all.entries()) {
    if (held.length > 0 && size + line.length + 1 > Number(options.characters)) close(at);
    held.push(line);
    size += line.length + 1;
  }
  close(all.length);
  return windows;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

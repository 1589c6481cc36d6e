/**
 * Routes of an application and what serves them: `node bench/connections.ts DIRECTORY [LIST]`. Prints `METHOD /path path:line →
 * handler` for each; with a hand-checked list (bench/routes/*.txt, of the commit in its first line) precision and recall.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { connectionsOf } from "../src/navigate/connections.ts";
import { referenceRules } from "../src/navigate/reference-rules.ts";
import { indexTree } from "../test/kit/index-tree.ts";

const [root, list] = process.argv.slice(2);
if (root === undefined) throw new Error("usage: node bench/connections.ts DIRECTORY [LIST]");

const MAX_BYTES = 1 << 20;
const tree: Record<string, string> = {};
readFolder(root);
const { at } = await indexTree(tree);
const connections = await connectionsOf(at, referenceRules);
const { definitions, uses } = await connections.all("route");
const lines: string[] = [];
for (const { name, path, line, to } of definitions) {
  const symbol = to && (await at.record((await at.file(to.path))!)).symbols[to.index];
  lines.push(`${name} ${path}:${line} → ${symbol ? `${to.path} ${symbol.name}` : "inline"}`);
}
if (list === undefined) {
  console.log(lines.sort().join("\n"));
  console.log(`# ${definitions.length} definitions, ${uses.length} uses`);
  if (process.env.USES) for (const it of uses) console.log(`# use ${it.name} ${it.path}:${it.line} ${it.resolution}`);
} else compare(lines, readFileSync(list, "utf8"));

function compare(found: readonly string[], checked: string): void {
  const expected = new Set(checked.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
  const all = new Set(found);
  const right = [...all].filter((line) => expected.has(line)).length;
  for (const line of all) if (!expected.has(line)) console.log(`+ ${line}`);
  for (const line of expected) if (!all.has(line)) console.log(`- ${line}`);
  const share = (of: number) => (of === 0 ? "-" : ((100 * right) / of).toFixed(1));
  console.log(
    `${relative(".", list!)}: ${right} right of ${all.size} found, ${expected.size} listed: precision ${share(all.size)} %, recall ${share(expected.size)} %`,
  );
}

function readFolder(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name === "node_modules" || name === ".git") continue;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) readFolder(path);
    else if (stat?.isFile() && stat.size <= MAX_BYTES) tree[relative(root!, path)] = readFileSync(path, "utf8");
  }
}

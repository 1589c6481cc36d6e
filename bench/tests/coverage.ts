/**
 * Which test files execute which functions: `node bench/tests/coverage.ts js|python ROOT OUT.json -- COMMAND…`.
 * Runs every test file alone ({} in the command is its path) and writes `{test: {file: [lines of executed functions]}}`.
 * JavaScript uses V8's coverage; Python needs pytest-cov, which records contexts in one run.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [language, given = "", out = "", ...rest] = process.argv.slice(2);
const root = resolve(given);
const [pattern = "", ...command] = rest.filter((it) => it !== "--");
const found: Record<string, Record<string, number[]>> = {};
if (language === "python") readPython();
else for (const test of testFiles()) found[test] = executed(test);
writeFileSync(out, JSON.stringify(found));
console.log(`${Object.keys(found).length} test files`);

function testFiles(): string[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  return files.filter((it) => !it.includes("node_modules") && new RegExp(pattern).test(it)).sort();
}

function executed(test: string): Record<string, number[]> {
  const folder = mkdtempSync(join(tmpdir(), "coverage-"));
  const [program = "", ...args] = command.map((it) => it.replace("{}", test));
  const env = { ...process.env, NODE_V8_COVERAGE: folder, TAP: "1" };
  spawnSync(program, args, { cwd: root, env, timeout: 60_000, stdio: "ignore" });
  const byFile: Record<string, Set<number>> = {};
  const noteLine = (path: string, line: number) => {
    byFile[path] ??= new Set();
    byFile[path].add(line);
  };
  for (const file of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    for (const { url, functions } of result) {
      if (!url.startsWith("file:")) continue;
      const path = relative(root, fileURLToPath(url));
      if (path.startsWith("..") || path.includes("node_modules")) continue;
      const text = readFileSync(join(root, path), "utf8");
      for (const { ranges, functionName } of functions)
        if (ranges[0].count > 0 && functionName !== "")
          noteLine(path, text.slice(0, ranges[0].startOffset).split("\n").length);
    }
  }
  rmSync(folder, { recursive: true });
  return Object.fromEntries(Object.entries(byFile).map(([path, lines]) => [path, [...lines]]));
}

/** Executed lines by test file, from the contexts of `pytest --cov --cov-context=test`. */
function readPython(): void {
  const script = [
    "import coverage, json, sys",
    "d = coverage.CoverageData(sys.argv[1]); d.read(); out = {}",
    "for f in d.measured_files():",
    "  for line, contexts in d.contexts_by_lineno(f).items():",
    "    for c in contexts:",
    "      if '::' in c: out.setdefault(c.split('::')[0], {}).setdefault(f, []).append(line)",
    "print(json.dumps(out))",
  ].join("\n");
  const json = execFileSync(command[0]!, ["-c", script, join(root, ".coverage")], {
    maxBuffer: 1 << 30,
    encoding: "utf8",
  });
  for (const [test, files] of Object.entries(JSON.parse(json) as Record<string, Record<string, number[]>>))
    found[test] = Object.fromEntries(Object.entries(files).map(([file, lines]) => [relative(root, file), lines]));
}

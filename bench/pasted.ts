/**
 * Places in pasted text, over a stdio server: is the innermost frame of the repository the first result, with its line?
 *
 *   node bench/pasted.ts [--per 20] [--seed 1] [--show 3] DIR...
 *
 * DIR are checkouts. Traces, compiler output, test reports, links and diffs are made of their real files, functions and
 * lines, with the prefixes that containers, package managers and other machines put before a path, and with frames
 * outside the repository around them.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { INITIALIZE, openSession } from "./session.ts";

const { values, positionals } = parseArgs({
  options: {
    per: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    show: { type: "string", default: "3" },
  },
  allowPositionals: true,
});
const bin = resolve(import.meta.dirname, "../bin/codecompass.js");

/** A line inside a real function. */
interface Spot {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly source: string;
  /** Lines around it, for diffs. */
  readonly before: string;
  readonly after: string;
  /** JVM package, Elixir module or C# namespace. */
  readonly module: string;
}

const DEFINITIONS: Readonly<Record<string, RegExp>> = {
  py: /^\s*(?:async )?def (\w{3,})\(/,
  ts: /^\s*(?:export )?(?:async )?function (\w{3,})|^\s+(?:async )?(\w{3,})\([^)]*\)[^;]* \{$/,
  js: /^\s*(?:export )?(?:async )?function (\w{3,})|^\s+(?:async )?(\w{3,})\s?\([^)]*\) \{$/,
  java: /^\s+(?:public|private|protected|static)[\w<>[\], .?]* (\w{3,})\([^)]*\)[^;]*\{$/,
  kt: /^\s*(?:\w+ )*fun (?:<[^>]*> )?(?:\w+\.)?(\w{3,})\(/,
  go: /^func (?:\([^)]*\) )?(\w{3,})\(/,
  rs: /^\s*(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn (\w{3,})/,
  cs: /^\s+(?:public|private|internal|protected)[\w<>[\], .?]* (\w{3,})\([^)]*\)$/,
  rb: /^\s*def (?:self\.)?(\w{3,})/,
  php: /^\s+(?:final |abstract )?(?:public|private|protected) (?:static )?function (\w{3,})\(/,
  ex: /^\s*defp? (\w{3,})\(/,
  c: /^(?:static |const |unsigned )*[\w*]+[ *]+(\w{3,})\([^;]*\) ?\{?$/,
};
const CONTROL = /^(?:if|for|while|switch|catch|function|return|with|foreach|elseif)$/;

let state = Number(values.seed);
function random(below: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return (state >>> 8) % below;
}
function pick<T>(from: readonly T[]): T {
  return from[random(from.length)]!;
}

function spotsOf(root: string): Map<string, Spot[]> {
  const spots = new Map<string, Spot[]>();
  for (const path of execFileSync("git", ["-C", root, "ls-files"], { encoding: "utf8" }).split("\n")) {
    const extension = path
      .slice(path.lastIndexOf(".") + 1)
      .replace(/^exs$/, "ex")
      .replace(/^[cm]?([jt]s)x?$/, "$1");
    const definition = DEFINITIONS[extension];
    if (definition === undefined || /\.d\.ts$|\.min\.|fixtures?\/|\/dist\//.test(path)) continue;
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    if (lines.length > 20_000 || lines.some((line) => line.length > 2000)) continue;
    const module =
      lines.map((line) => /^\s*(?:package|namespace|defmodule) ([\w.\\]+)/.exec(line)?.[1]).find(Boolean) ?? "";
    const found = lines.flatMap((line, at) => spotBelow({ path, module, lines, at, name: nameIn(definition, line) }));
    spots.set(extension, [...(spots.get(extension) ?? []), ...found]);
  }
  return spots;
}

function nameIn(definition: RegExp, line: string): string | undefined {
  const name = definition
    .exec(line)
    ?.slice(1)
    .find((one) => one !== undefined);
  return name === undefined || CONTROL.test(name) ? undefined : name;
}

function spotBelow(of: {
  path: string;
  module: string;
  lines: readonly string[];
  at: number;
  name: string | undefined;
}): Spot[] {
  const { path, module, lines, at, name } = of;
  if (name === undefined) return [];
  const indent = /^\s*/.exec(lines[at]!)![0].length;
  for (let line = at + 1; line < Math.min(lines.length - 1, at + 6); line++) {
    const text = lines[line]!;
    if (
      /^\s*/.exec(text)![0].length <= indent ||
      !/^\s*[a-z].{12,120}[\w)\];]$/i.test(text) ||
      /^\s*(?:#|\/\/|"""|@)/.test(text)
    )
      continue;
    return [{ path, module, name, line: line + 1, source: text, before: lines[line - 1]!, after: lines[line + 1]! }];
  }
  return [];
}

interface Made {
  readonly text: string;
  readonly inner: Spot;
}

/** Spots innermost first. */
type Maker = (spots: readonly Spot[], repo: string) => string;

const local = (repo: string) =>
  pick([`/home/dev/work/${repo}/`, "/usr/src/app/", "/app/", `/builds/team/${repo}/`, `/Users/sam/${repo}/`, "", "./"]);
const column = () => 1 + random(40);
const shaken = (source: string) => source.trim();

const MAKERS: Readonly<Record<string, { readonly of: string; readonly make: Maker }>> = {
  "path:line": { of: "*", make: ([it]) => `${it!.path}:${it!.line}${pick(["", `:${column()}`])}` },
  "path#L, path(l,c)": {
    of: "*",
    make: ([it]) => pick([`${it!.path}#L${it!.line}-L${it!.line + 1}`, `${it!.path}(${it!.line},${column()})`]),
  },
  "in a sentence": {
    of: "*",
    make: ([it]) => `why does ${pick(["", "`"])}${it!.path}:${it!.line} behave like that, and who calls it?`,
  },
  permalink: {
    of: "*",
    make: ([it], repo) =>
      pick([
        `https://github.com/acme/${repo}/blob/3f2a9c1d0b7e4f5a6b7c8d9e0f1a2b3c4d5e6f70/${it!.path}#L${it!.line}-L${it!.line + 3}`,
        `https://gitlab.com/acme/tools/${repo}/-/blob/main/${it!.path}#L${it!.line}`,
        `https://github.com/acme/${repo}/blob/feature/new-parser/${it!.path}#L${it!.line}`,
      ]),
  },
  "editor URL": {
    of: "*",
    make: ([it], repo) =>
      pick([
        `file:///home/dev/${repo}/${it!.path}:${it!.line}:${column()}`,
        `vscode://file/Users/sam/${repo}/${it!.path}:${it!.line}:${column()}`,
        `idea://open?file=/home/dev/${repo}/${it!.path}&line=${it!.line}`,
      ]),
  },
  diff: {
    of: "*",
    make: ([it]) =>
      `diff --git a/${it!.path} b/${it!.path}\nindex 3f2a9c1..0b7e4f5 100644\n--- a/${it!.path}\n+++ b/${it!.path}\n@@ -${it!.line - 1},3 +${it!.line - 1},4 @@\n ${it!.before}\n-${it!.source}\n+    changed_to_something_else()\n+    and_more()\n ${it!.after}\n`,
  },
  python: {
    of: "py",
    make: (spots, repo) => {
      const installed = random(3) === 0;
      const prefix = local(repo);
      const path = (it: Spot) =>
        installed && /^(?:src\/)?\w+\/.*\w+\.py$/.test(it.path) && !/^(?:tests?|docs|examples|scripts)\//.test(it.path)
          ? `/opt/venv/lib/python3.11/site-packages/${it.path.replace(/^src\//, "")}`
          : prefix + it.path;
      const frame = (it: Spot) => `  File "${path(it)}", line ${it.line}, in ${it.name}\n    ${it.source.trim()}\n`;
      const outside =
        '  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode\n    raise JSONDecodeError("Expecting value", s, err.value) from None\n';
      return `Traceback (most recent call last):\n  File "/usr/lib/python3.11/runpy.py", line 196, in _run_module_as_main\n    return _run_code(code, main_globals)\n${spots.toReversed().map(frame).join("")}${pick(["", outside])}ValueError: unexpected value in row 17\n`;
    },
  },
  javascript: { of: "js", make: node },
  typescript: { of: "ts", make: node },
  "java, kotlin": {
    of: "java kt",
    make: (spots) => {
      const frame = (it: Spot) => {
        const file = basename(it.path);
        const owner = file.endsWith(".kt") ? `${file.replace(".kt", "")}Kt` : file.replace(".java", "");
        return `\tat ${it.module}.${owner}.${it.name}(${file}:${it.line})${pick(["", "", " ~[app.jar:1.4.2]"])}\n`;
      };
      const [first, ...more] = spots;
      const jdk = "\tat java.base/java.util.Objects.requireNonNull(Objects.java:233)\n";
      const cause = random(2) === 0;
      const end = "\tat java.base/java.lang.Thread.run(Thread.java:833)\n";
      if (!cause)
        return `Exception in thread "main" java.lang.NullPointerException: value is missing\n${jdk}${spots.map(frame).join("")}${end}`;
      return `java.lang.IllegalStateException: cannot continue\n${more.map(frame).join("")}${end}Caused by: java.io.IOException: value 17 is missing\n${jdk}${frame(first!)}\t... 12 more\n`;
    },
  },
  go: {
    of: "go",
    make: (spots, repo) => {
      const prefix = pick([
        local(repo),
        `/go/pkg/mod/github.com/acme/${repo}@v1.9.1/`,
        `github.com/acme/${repo}/`,
        `/home/dev/go/src/github.com/acme/${repo}/`,
      ]);
      const real = prefix.includes("pkg/mod") ? `/go/pkg/mod/${goModule}@v1.9.1/` : prefix;
      const frame = (it: Spot) =>
        `github.com/acme/${repo}.${pick(["", "(*Engine)."])}${it.name}(0xc0001a4000, {0x1400, 0x2})\n\t${real}${it.path}:${it.line} +0x1d4\n`;
      return `panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x47e6a0]\n\ngoroutine 34 [running]:\nruntime.panicmem(...)\n\t/usr/local/go/src/runtime/panic.go:260 +0x20\n${spots.map(frame).join("")}created by net/http.(*Server).Serve in goroutine 1\n\t/usr/local/go/src/net/http/server.go:3086 +0x5cb\n`;
    },
  },
  rust: {
    of: "rs",
    make: (spots, repo) => {
      const [first] = spots;
      const prefix = pick([local(repo), "", "./"]);
      if (random(3) === 0)
        return `thread 'tokio-runtime-worker' panicked at ${prefix}${first!.path}:${first!.line}:${column()}:\ncalled \`Option::unwrap()\` on a \`None\` value\nnote: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace\n`;
      const frame = (it: Spot, i: number) =>
        `  ${String(i + 2).padStart(2)}: ${repo}::${basename(it.path, ".rs")}::${it.name}${pick(["", "::h0123456789abcdef"])}\n             at ${prefix}${it.path}:${it.line}:${column()}\n`;
      return `stack backtrace:\n   0: rust_begin_unwind\n             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5\n   1: core::panicking::panic_fmt\n             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/panicking.rs:76:14\n${spots.map(frame).join("")}`;
    },
  },
  csharp: {
    of: "cs",
    make: (spots, repo) => {
      const prefix = pick([`/src/${repo}/`, `C:\\Users\\dev\\source\\${repo}\\`, "/_/", "/home/runner/work/app/app/"]);
      const path = (it: Spot) => (prefix.includes("\\") ? (prefix + it.path).replaceAll("/", "\\") : prefix + it.path);
      const frame = (it: Spot) =>
        `   at ${it.module}.${basename(it.path, ".cs")}.${pick([`${it.name}(Int32 id, String name)`, `<${it.name}>d__5.MoveNext()`])} in ${path(it)}:line ${it.line}\n`;
      return `Unhandled exception. System.InvalidOperationException: Sequence contains no elements\n   at System.Linq.ThrowHelper.ThrowNoElementsException()\n${spots.map(frame).join("")}   at System.Threading.Tasks.Task.Execute()\n`;
    },
  },
  ruby: {
    of: "rb",
    make: (spots, repo) => {
      const prefix = pick([local(repo), "", `/usr/local/bundle/gems/${repo}-4.1.0/`]);
      const quote = pick(["'", "`"]);
      const [first, ...more] = spots;
      const place = (it: Spot) => `${prefix}${it.path}:${it.line}:in ${quote}${pick(["", "block in "])}${it.name}'`;
      return `${place(first!)}: undefined method 'call' for nil (NoMethodError)\n${more.map((it) => `\tfrom ${place(it)}\n`).join("")}\tfrom /usr/lib/ruby/3.2.0/webrick/httpserver.rb:140:in \`service'\n`;
    },
  },
  php: {
    of: "php",
    make: (spots, repo) => {
      const prefix = pick([local(repo).replace(/^\.\/$/, "/"), "/var/www/html/"]);
      const [first, ...more] = spots;
      const calls = more
        .map((it, i) => `#${i} ${prefix}${it.path}(${it.line}): App\\Shop->${spots[i]!.name}(Array)\n`)
        .join("");
      return `PHP Fatal error:  Uncaught RuntimeException: Value 17 is missing in ${prefix}${first!.path}:${first!.line}\nStack trace:\n${calls}#${more.length} {main}\n  thrown in ${prefix}${first!.path} on line ${first!.line}\n`;
    },
  },
  elixir: {
    of: "ex",
    make: (spots, repo) => {
      const frame = (it: Spot) => `    (${repo} 1.4.0) ${it.path}:${it.line}: ${it.module}.${it.name}/2\n`;
      const own = (it: Spot) =>
        /^lib\//.test(it.path) ? frame(it) : `    ${it.path}:${it.line}: ${it.module}.${it.name}/2\n`;
      return `** (FunctionClauseError) no function clause matching in Keyword.get/3\n    (elixir 1.15.7) lib/keyword.ex:395: Keyword.get/3\n${spots.map(own).join("")}    (stdlib 5.1) gen_server.erl:1077: :gen_server.try_handle_call/4\n`;
    },
  },
  tsc: {
    of: "ts",
    make: ([it]) =>
      pick([
        `${it!.path}(${it!.line},${column()}): error TS2322: Type 'string' is not assignable to type 'number'.\n`,
        `${it!.path}:${it!.line}:${column()} - error TS2304: Cannot find name 'cart'.\n\n${it!.line} ${it!.source}\n      ~~~~\n`,
      ]),
  },
  "gcc, clang": {
    of: "c",
    make: ([it, other], repo) => {
      const prefix = pick(["../", "", local(repo)]);
      return `In file included from ${prefix}${other!.path}:3:\n${prefix}${it!.path}: In function '${it!.name}':\n${prefix}${it!.path}:${it!.line}:${column()}: error: expected ';' before 'return'\n${String(it!.line).padStart(5)} | ${it!.source}\n      |     ^~~~~~\n${prefix}${other!.path}:${other!.line}:1: note: declared here\n`;
    },
  },
  rustc: {
    of: "rs",
    make: ([it, other]) =>
      `error[E0308]: mismatched types\n  --> ${it!.path}:${it!.line}:${column()}\n   |\n${it!.line} | ${it!.source}\n   |     ^^^ expected \`i32\`, found \`&str\`\n   |\nnote: function defined here\n  --> ${other!.path}:${other!.line}:8\n   |\n\nerror: aborting due to 1 previous error\n`,
  },
  "go test": {
    of: "go:_test",
    make: ([it]) => {
      const folder = it!.path.includes("/") ? `/${it!.path.slice(0, it!.path.lastIndexOf("/"))}` : "";
      return `=== RUN   ${it!.name}\n    ${basename(it!.path)}:${it!.line}: got 1, want 2\n--- FAIL: ${it!.name} (0.00s)\nFAIL\nexit status 1\nFAIL\t${goModule}${folder}\t0.012s\n`;
    },
  },
  pytest: {
    of: "py",
    make: ([it, test]) =>
      `=================== FAILURES ===================\n________ ${test!.name} ________\n\n    def ${test!.name}():\n>       ${test!.source.trim()}\n\n${test!.path}:${test!.line}: \n_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n\n>   ${shaken(it!.source)}\nE   ValueError: unexpected value 17\n\n${it!.path}:${it!.line}: ValueError\n============ short test summary info ============\nFAILED ${test!.path}::${test!.name} - ValueError: unexpected value 17\n`,
  },
  "jest, vitest": {
    of: "ts js",
    make: ([it, test], repo) =>
      pick([
        ` FAIL  ${test!.path} > cart > adds\nAssertionError: expected 1 to be 2\n ❯ ${it!.name} ${it!.path}:${it!.line}:${column()}\n ❯ ${test!.path}:${test!.line}:${column()}\n`,
        `FAIL ${test!.path}\n  ● cart › adds\n\n    expect(received).toBe(expected)\n\n      at ${it!.name} (${it!.path}:${it!.line}:${column()})\n      at Object.<anonymous> (/home/dev/${repo}/${test!.path}:${test!.line}:${column()})\n      at node_modules/jest-circus/build/utils.js:231:10\n`,
      ]),
  },
};

function node(spots: readonly Spot[], repo: string): string {
  const prefix = pick([local(repo), `file:///home/dev/${repo}/`, `C:\\work\\${repo}\\`, "webpack:///./"]);
  const frame = (it: Spot) => {
    const path = prefix.includes("\\") ? (prefix + it.path).replaceAll("/", "\\") : prefix + it.path;
    const place = `${path}:${it.line}:${column()}`;
    return pick([
      `    at ${it.name} (${place})\n`,
      `    at async Cart.${it.name} (${place})\n`,
      `    at ${place.startsWith(".") ? place.slice(2) : place}\n`,
    ]);
  };
  return `TypeError: Cannot read properties of undefined (reading 'id')\n    at Array.map (<anonymous>)\n    at next (/srv/node_modules/express/lib/router/route.js:144:13)\n${spots.map(frame).join("")}    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n`;
}

let goModule = "";
const home = mkdtempSync(join(tmpdir(), "codecompass-pasted-"));
const env = { ...process.env, CODECOMPASS_HOME: home };
const tallies = new Map<string, { total: number; first: number; line: number; readonly misses: string[] }>();
const times: number[] = [];

try {
  for (const directory of positionals) await measure(resolve(directory));
} finally {
  rmSync(home, { recursive: true, force: true });
}
console.log("| format | cases | innermost frame first | right line |\n|---|--:|--:|--:|");
for (const [format, { total, first, line }] of tallies)
  console.log(
    `| ${format} | ${total} | ${((100 * first) / total).toFixed(1)} % | ${((100 * line) / total).toFixed(1)} % |`,
  );
for (const { misses } of tallies.values())
  for (const miss of misses.slice(0, Number(values.show))) console.log(`\n${miss}`);
times.sort((a, b) => a - b);
console.log(
  `\np50 ${times[times.length >> 1]?.toFixed(0)} ms, p95 ${times[Math.floor(times.length * 0.95)]?.toFixed(0)} ms`,
);

async function measure(root: string): Promise<void> {
  const repo = basename(root);
  execFileSync(process.execPath, [bin, "index", "--path", root], { env, stdio: "ignore" });
  const spots = spotsOf(root);
  try {
    goModule = /^module (\S+)/m.exec(readFileSync(join(root, "go.mod"), "utf8"))?.[1] ?? "";
  } catch {
    goModule = "";
  }
  const session = openSession(bin, root, env);
  await session.request("initialize", INITIALIZE);
  for (const [format, { of, make }] of Object.entries(MAKERS)) {
    const usable = chosenSpots(spots, of);
    if (usable.length < 8) continue;
    const tally = tallies.get(format) ?? { total: 0, first: 0, line: 0, misses: [] };
    tallies.set(format, tally);
    for (let i = 0; i < Number(values.per); i++) {
      const inner = pick(usable);
      const others = Array.from({ length: 3 }, () => pick(usable)).filter((it) => it.path !== inner.path);
      if (others.length === 0) continue;
      const made: Made = { inner, text: make([inner, ...others], repo) };
      const { value, ms } = await session.tool("search_code", { query: made.text, limit: 5 });
      times.push(ms);
      const result = value?.results?.[0];
      tally.total++;
      const isFirst = result?.path === inner.path;
      if (isFirst) tally.first++;
      if (isFirst && result.line_start === inner.line) tally.line++;
      else
        tally.misses.push(
          `${repo}, ${format}: ${inner.path}:${inner.line}, got ${result?.path}:${result?.line_start}\n${made.text}`,
        );
    }
  }
  await session.close();
}

function chosenSpots(spots: ReadonlyMap<string, readonly Spot[]>, of: string): readonly Spot[] {
  if (of === "*") return [...spots.values()].flat();
  if (of === "go:_test") return (spots.get("go") ?? []).filter(({ path }) => path.endsWith("_test.go"));
  return of.split(" ").flatMap((extension) => spots.get(extension) ?? []);
}

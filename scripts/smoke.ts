/**
 * Installs a packed tarball into an empty prefix and runs every command of it: `node scripts/smoke.ts TARBALL`. The release
 * workflow runs it on each platform. Prints the sizes; fails on the first command that does not do what it should.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export interface PackageSizes {
  readonly tarballBytes: number;
  readonly installedBytes: number;
  readonly packages: number;
  /** Packages of the tree that want to run a script when they are installed. */
  readonly installScripts: readonly string[];
}

const isWindows = process.platform === "win32";

/** Runs a program; an exit code other than the expected one is an error that shows what was printed. */
function run(
  file: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; exit?: number },
): string {
  const { cwd, env = process.env, exit = 0 } = options;
  let [code, output] = [0, ""];
  try {
    output = execFileSync(file, args, {
      cwd,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      shell: isWindows,
    });
  } catch (error) {
    const failed = error as { status: number | null; stdout: string; stderr: string };
    [code, output] = [failed.status ?? -1, `${failed.stdout}${failed.stderr}`];
  }
  if (code !== exit) throw new Error(`${file} ${args.join(" ")} exited with ${code} instead of ${exit}:\n${output}`);
  return output;
}

/** Installs the tarball below `base`, into a path with a space and a letter outside ASCII. */
export function install(tarball: string, base: string): { readonly prefix: string; readonly sizes: PackageSizes } {
  const prefix = join(base, "prefix é");
  mkdirSync(prefix);
  writeFileSync(join(prefix, "package.json"), "{}");
  run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", tarball], { cwd: prefix });
  return { prefix, sizes: measure(prefix, tarball) };
}

/** One use of a command: its arguments, a part of what it prints, and its exit code. */
type Use = readonly [args: string, prints: string, exit?: number];

/** A use of every command on the small repository of `smoke`. A command of `--help` without one is an error. */
const USES: readonly Use[] = [
  ["total_price", "def total_price"],
  ["init", "tree"],
  ["index", "2 files"],
  ["sync", "2 files"],
  ["search total_price", "def total_price"],
  ["search --regex return.total_", "cart.py:6"],
  ["search --no-such-flag", "no-such-flag", 2],
  ["def total_price", "cart.py"],
  ["refs total_price", "cart.py"],
  ["callers total_price", "pay"],
  ["outline cart.py", "total_price"],
  ["context total_price --max-tokens 500", "total_price"],
  ["diff HEAD~1 HEAD", "refund"],
  ["daemon status", "No daemon", 1],
  ["doctor", "Node"],
  ["eval --suite ../golden.tsv", "1.000"],
  ["eval --why-not cart.py:1 total_price", "rank 1"],
  ["review --base HEAD~1", "refund"],
  ["workspaces", "tree"],
  ["migrate", "--store", 2],
  ["principals sql", "CREATE ROLE"],
  ["state export ../index.tar.zst", "index.tar.zst"],
  ["state import ../index.tar.zst", "Imported 2"],
  ["scip export ../index.scip", "index.scip"],
  ["prune-overlays --dry-run", "Would remove 0"],
  ["hooks install", "post-checkout"],
  ["hooks uninstall", "removed"],
  ["serve-mcp", ""],
  ["install --client claude-code --print", "codecompass"],
  ["uninstall --client claude-code --dry-run", "Not installed"],
  ["instructions", "search_code"],
  ["completion bash", "complete"],
  ["version", "0."],
  ["help search", "Usage"],
  ["ui --port 99999", "65535", 2],
  ["index_repo --wait-seconds 60", "published"],
  ["sync_repo", "job_id"],
  ["locate_symbol total_price", "cart.py"],
  ["locate_symbol no_such_name", "Nothing found in 2 files", 1],
  ["search_code total_price", "total_price"],
  ["index_status", "ready"],
  ["get_file_outline cart.py", "total_price"],
  ["health_check", "healthy"],
  ["get_symbol_hierarchy total_price", "cart.py"],
  ["find_related_symbols total_price", "pay"],
  ["get_code_context total_price --max-tokens 500", "total_price"],
  ["diff_context --base-ref HEAD~1 --head-ref HEAD", "refund"],
  ["find_references total_price", "cart.py"],
  ["explain_ranking total_price --result-path cart.py --result-line-start 1", "cart.py"],
  ["list_refs", "main"],
  ["switch_ref main", "main"],
  ["semantic_search price", "total_price"],
  ["regex_search total_p.ice", "cart.py"],
  ["hybrid_search price", "total_price"],
  ["reindex", "success"],
  ["get_call_graph total_price", "pay"],
  ["impact total_price", "pay"],
  ["unused", "0 unused", 1],
];

/** Runs every command of the package that is installed in `prefix`. */
export function smoke(prefix: string, base: string): void {
  const program = join(prefix, "node_modules", "codecompass-mcp", "bin", "codecompass.js");
  const tree = join(base, "tree");
  mkdirSync(tree);
  const cart = "def total_price(cart):\n    return sum(cart)\n\n\ndef pay(cart):\n    return total_price(cart)\n";
  writeFileSync(join(tree, "cart.py"), cart);
  writeFileSync(join(tree, "README.md"), "# A cart\n");
  writeFileSync(join(base, "golden.tsv"), "total_price\tcart.py:1\n");
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=smoke", "-c", "user.email=smoke@example.com", ...args], { cwd: tree });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message=one");
  writeFileSync(join(tree, "cart.py"), `${cart}\n\ndef refund(cart):\n    return -total_price(cart)\n`);
  git("commit", "--quiet", "--all", "--message=two");

  const env = { ...process.env, HOME: base, USERPROFILE: base, CODECOMPASS_HOME: join(base, "home"), NO_COLOR: "1" };
  const command = (args: readonly string[], exit = 0) =>
    run(isWindows ? `"${process.execPath}"` : process.execPath, [program, ...args], { cwd: tree, env, exit });
  for (const [args, prints, exit] of USES) {
    const output = command(args.split(" "), exit);
    if (!output.includes(prints)) throw new Error(`codecompass ${args} printed no ${prints}:\n${output}`);
  }
  const listed = command(["--help"]);
  const names = [...listed.matchAll(/^ {2}([a-z][\w-]+)/gm)].map(([, name]) => name!);
  if (names.length < 50) throw new Error(`--help lists ${names.length} commands:\n${listed}`);
  const used = new Set(USES.map(([args]) => args.split(" ")[0]));
  const unused = names.filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`no use of ${unused.join(", ")} is tried here`);
}

function measure(prefix: string, tarball: string): PackageSizes {
  const lock = JSON.parse(readFileSync(join(prefix, "node_modules", ".package-lock.json"), "utf8"));
  const packages = Object.entries<{ hasInstallScript?: boolean }>(lock.packages);
  return {
    tarballBytes: statSync(tarball).size,
    installedBytes: sizeOf(join(prefix, "node_modules")),
    packages: packages.length,
    installScripts: packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path),
  };
}

function sizeOf(path: string): number {
  const entries = readdirSync(path, { withFileTypes: true });
  const sizes = entries.map((entry) => {
    const at = join(path, entry.name);
    return entry.isDirectory() ? sizeOf(at) : entry.isFile() ? statSync(at).size : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

if (import.meta.main) {
  const [tarball] = process.argv.slice(2);
  if (tarball === undefined || !existsSync(tarball)) {
    process.stderr.write("Usage: node scripts/smoke.ts TARBALL\n");
    process.exitCode = 2;
  } else {
    const base = mkdtempSync(join(tmpdir(), "codecompass smoke é "));
    try {
      const { prefix, sizes } = install(resolve(tarball), base);
      smoke(prefix, base);
      process.stdout.write(`${JSON.stringify(sizes, null, 2)}\n`);
    } finally {
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

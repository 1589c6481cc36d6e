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

/** Runs every command of the package that is installed in `prefix`. */
export function smoke(prefix: string, base: string): void {
  const program = join(prefix, "node_modules", "codecompass-mcp", "bin", "codecompass.js");
  const tree = join(base, "tree");
  mkdirSync(tree);
  writeFileSync(
    join(tree, "cart.py"),
    "def total_price(cart):\n    return sum(cart)\n\n\ndef pay(cart):\n    return total_price(cart)\n",
  );
  const env = { ...process.env, CODECOMPASS_HOME: join(base, "home"), NO_COLOR: "1" };
  const command = (args: readonly string[], exit = 0) =>
    run(isWindows ? `"${process.execPath}"` : process.execPath, [program, ...args], { cwd: tree, env, exit });
  const expectIn = (text: string, ...args: string[]) => {
    const output = command(args);
    if (!output.includes(text)) throw new Error(`codecompass ${args.join(" ")} printed no ${text}:\n${output}`);
  };

  expectIn("def total_price", "search", "total_price");
  expectIn("cart.py:6", "search", "--regex", "return total_\\w+");
  expectIn("cart.py", "locate_symbol", "total_price");
  expectIn("cart.py", "find_references", "total_price");
  expectIn("total_price", "get_file_outline", "cart.py");
  expectIn("total_price", "get_code_context", "price of a cart", "--max-tokens", "500");
  expectIn("pay", "impact", "total_price");
  expectIn("Node", "doctor");
  command(["locate_symbol", "no_such_name"], 1);
  command(["search", "--no-such-flag"], 2);
  const listed = command(["--help"]);
  const names = [...listed.matchAll(/^ {2}([a-z][\w-]+)/gm)].map(([, name]) => name!);
  if (names.length < 20) throw new Error(`--help lists ${names.length} commands:\n${listed}`);
  for (const name of names) if (name !== "help") command([name, "--help"]);
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

/** The oracles, by the languages they judge. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clangdOracle } from "./clangd.ts";
import { csharpOracle } from "./csharp.ts";
import { goOracle } from "./go.ts";
import { intelephenseOracle } from "./intelephense.ts";
import { javaOracle } from "./java.ts";
import type { Oracle } from "./oracle.ts";
import { pyrightOracle } from "./pyright.ts";
import { rustOracle } from "./rust.ts";
import { typescriptOracle } from "./typescript.ts";

export interface Setting {
  /** Directory of tools, copies and results. */
  readonly out: string;
  readonly libraries: string;
  /** Names of the measured projects. */
  readonly names: readonly string[];
}

export interface Family {
  readonly languages: ReadonlySet<string>;
  /** The tree to measure, if it is not the given one. */
  prepare?(name: string, given: string, setting: Setting): string;
  open(root: string, paths: readonly string[], setting: Setting): Oracle | Promise<Oracle>;
}

export const FAMILIES: Readonly<Record<string, Family>> = {
  typescript: { languages: new Set(["typescript", "tsx", "javascript"]), open: typescriptOracle },
  python: { languages: new Set(["python"]), prepare: copyForPyright, open: openPyright },
  go: {
    languages: new Set(["go"]),
    open: (root, _, { out, libraries }) => goOracle(root, { tools: join(out, "tools"), libraries }),
  },
  csharp: {
    languages: new Set(["csharp"]),
    open: (root, _, { out }) => csharpOracle(root, join(out, "tools")),
  },
  java: { languages: new Set(["java"]), open: (root, _, { out }) => javaOracle(root, join(out, "tools")) },
  c: { languages: new Set(["c", "cpp"]), open: clangdOracle },
  php: {
    languages: new Set(["php"]),
    open: (root, _, { out }) => {
      const tools = join(out, "tools");
      const server = join(tools, "node_modules", "intelephense", "lib", "intelephense.js");
      if (!existsSync(server)) install(tools, `intelephense@${INTELEPHENSE}`);
      return intelephenseOracle(root, server, join(out, "intelephense"));
    },
  },
  rust: {
    languages: new Set(["rust"]),
    open: (root, paths, { out }) => rustOracle(root, paths, join(out, "crate")),
  },
};

const INTELEPHENSE = "1.18.5";
const PYRIGHT = "1.1.414";
/** Every file, and the project's own sources before installed ones. */
const PYRIGHT_SETTINGS = { include: ["."], extraPaths: ["src", "."], typeCheckingMode: "off" };

/** A copy whose settings make the oracle read every file. */
function copyForPyright(name: string, given: string, { out }: Setting): string {
  const root = join(out, "projects", name);
  if (!existsSync(root)) cpSync(given, root, { recursive: true, filter: (path) => !path.endsWith("/.git") });
  writeFileSync(join(root, "pyrightconfig.json"), JSON.stringify(PYRIGHT_SETTINGS));
  return root;
}

function openPyright(root: string, _: readonly string[], { out, names }: Setting): Promise<Oracle> {
  const tools = join(out, "tools");
  const server = join(tools, "node_modules", "pyright", "langserver.index.js");
  if (!existsSync(server)) install(tools, `pyright@${PYRIGHT}`);
  // pyright includes stubs of well-known packages, which it would read instead of the measured sources.
  const stubs = join(tools, "node_modules", "pyright", "dist", "typeshed-fallback", "stubs");
  for (const name of names) rmSync(join(stubs, name), { recursive: true, force: true });
  return pyrightOracle(root, server);
}

function install(tools: string, name: string): void {
  mkdirSync(tools, { recursive: true });
  spawnSync("npm", ["install", "--ignore-scripts", "--prefix", tools, name], { stdio: "inherit" });
}

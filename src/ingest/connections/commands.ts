/** Commands: scripts of packages, targets of Makefiles and script files, and the workflows and scripts that run them. */
import { joinPath, parentFolder } from "../../languages/packages.ts";
import type { ConnectionFile } from "./connections.ts";

const RUNS: ReadonlySet<string> = new Set([
  "yaml",
  "bash",
  "makefile",
  "dockerfile",
  "json",
  "groovy",
  "toml",
  "powershell",
]);
/** Files that are run by their path; others are found by what they define. */
const SCRIPT_FILE =
  /\.(?:sh|bash|ps1)$|(?:^|\/)(?:scripts?|bin|tools|hack|ci|\.ci)\/(?:[^/]+\/)*[^/]+\.(?:py|js|mjs|cjs|ts|rb|pl|php)$/;
const ACTION = /(?:^|\/)action\.ya?ml$|^\.github\/workflows\/[^/]+\.ya?ml$/;

const NPM = /\b(?:npm|pnpm|yarn|bun)[ \t]+(?:--?\w[\w-]*(?:=\S+)?[ \t]+)*(run(?:-script)?[ \t]+)?([A-Za-z][\w:.-]*)/g;
/** Commands of the package managers themselves. */
const BUILT_IN: ReadonlySet<string> = new Set(
  "install ci i add remove exec init publish link update version dlx create x pack audit cache config set get global info list ls login why up upgrade dedupe import rebuild prune view whoami help outdated".split(
    " ",
  ),
);
const BUN: ReadonlySet<string> = new Set(["test", "build"]);
const MAKE = /(?:^|[\s;&|"'])make[ \t]+(?:-(?:C[ \t]*(\S+)|\w+)[ \t]+)*([A-Za-z][\w./-]*)(?![ \t]*=)/g;
const PATH =
  /(?:^|[\s"';&|(=])((?:\.{1,2}\/)*(?:[\w.-]+\/)+[\w.-]+\.(?:sh|bash|ps1|py|js|mjs|cjs|ts|rb|pl|php)|\.\/[\w.-]+\.(?:sh|py|rb|js|mjs|ts|ps1))(?![\w/])/g;
const USES = /^[ \t]*(?:- )?uses:[ \t]*["']?\.\/([\w./-]+)/gm;

export function readCommands(file: ConnectionFile): void {
  const { language, path } = file;
  const folder = parentFolder(path);
  const define = (at: number, key: string, symbol: number) =>
    file.add(at, { side: "definition", kind: "script", key, target: { symbol } });
  if (ACTION.test(path) || SCRIPT_FILE.test(path))
    file.addAlone(0, { side: "definition", kind: "script", key: /(?:^|\/)action\.ya?ml$/.test(path) ? folder : path });
  if (!RUNS.has(language)) return;
  const isPackage = /(?:^|\/)package\.json$/.test(path);
  for (const [index, { kind, name, span, parent }] of file.symbols.entries()) {
    if (isPackage && parent !== undefined && file.symbols[parent]!.name === "scripts")
      define(span.start, at(folder, `npm run ${name}`), index);
    else if (language === "makefile" && kind === "target") define(span.start, at(folder, `make ${name}`), index);
  }
  if (isPackage || language !== "json") readRuns(file, isPackage || language === "makefile" ? folder : "");
}

function at(folder: string, command: string): string {
  return folder === "" ? command : `${folder}: ${command}`;
}

/** Commands run where their file is, or in the root of the repository, unless the step says where. */
function readRuns(file: ConnectionFile, home: string): void {
  const { text, path } = file;
  const use = (offset: number, key: string) => file.add(offset, { side: "use", kind: "script", key });
  for (const it of text.matchAll(NPM)) {
    const name = it[2]!;
    const isBuiltIn = BUILT_IN.has(name) || (it[0].startsWith("bun") && BUN.has(name));
    if ((it[1] === undefined && isBuiltIn) || isMentioned(text, it.index)) continue;
    use(it.index, at(workingFolder(text, it.index, home), `npm run ${name}`));
  }
  for (const it of text.matchAll(MAKE)) {
    if (isMentioned(text, it.index)) continue;
    const folder = it[1] === undefined ? workingFolder(text, it.index, home) : joinPath(home, it[1]);
    use(it.index + it[0].indexOf("make"), at(folder, `make ${it[2]}`));
  }
  for (const it of text.matchAll(PATH)) {
    const folder = /^\.{1,2}\//.test(it[1]!) ? workingFolder(text, it.index, home) : home;
    const named = joinPath(folder, it[1]!);
    if (named !== path) use(it.index + it[0].indexOf(it[1]!), named);
    // A script may also be named from its own folder.
    const beside = joinPath(parentFolder(path), it[1]!);
    if (beside !== named && beside !== path) use(it.index + it[0].indexOf(it[1]!), beside);
  }
  for (const it of text.matchAll(USES)) use(it.index, it[1]!.replace(/\/$/, ""));
}

/** A comment or a message names a command without running it. */
function isMentioned(text: string, at: number): boolean {
  const line = text.slice(Math.max(text.lastIndexOf("\n", at - 1) + 1, at - STEP), at + 1);
  return /(?:^|\s)#(?:\s|$)|\becho\s[^;&|`$]*$/.test(line);
}

/** Characters of a step before and after a command; without a bound a long line takes quadratic time. */
const STEP = 1_000;

/** `cd web && …` before a command, or `working-directory: web` of its step. */
function workingFolder(whole: string, at: number, home: string): string {
  const from = Math.max(0, at - STEP);
  const [text, index] = [whole.slice(from, at + STEP), at - from];
  const line = text.slice(text.lastIndexOf("\n", index) + 1, index);
  const moved = /\bcd\s+["']?([\w./-]+)["']?\s*&&/.exec(line)?.[1];
  if (moved !== undefined) return joinPath(home, moved);
  const step = text.lastIndexOf("\n      - ", index);
  if (step < 0) return home;
  const next = text.indexOf("\n      - ", index);
  const written = /\n[ \t]+working-directory:[ \t]*["']?([\w./-]+)/.exec(
    text.slice(step, next < 0 ? text.length : next),
  );
  return written ? joinPath(home, written[1]!) : home;
}

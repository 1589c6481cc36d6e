/**
 * Every git setting that can start a program, and a repository that sets them all. A program that is started leaves a file
 * named after its setting. docs/git-safety.md says for each setting how this is prevented.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { branch, commit, git, type Sandbox, write } from "./sandbox.ts";

/** As spelled in git's documentation. `!` marks a value that is a command only if it starts with an exclamation mark. */
export const PROGRAM_SETTINGS = [
  "alias.*!",
  "alias.*.command!",
  "browser.<tool>.cmd",
  "browser.<tool>.path",
  "core.alternateRefsCommand",
  "core.askPass",
  "core.editor",
  "core.fsmonitor",
  "core.gitProxy",
  "core.hooksPath",
  "core.pager",
  "core.sshCommand",
  "credential.helper!",
  "credential.<url>.helper!",
  "diff.<driver>.command",
  "diff.<driver>.textconv",
  "diff.external",
  "difftool.<tool>.cmd",
  "difftool.<tool>.path",
  "filter.<driver>.clean",
  "filter.<driver>.process",
  "filter.<driver>.smudge",
  "gc.recentObjectsHook",
  "gpg.<format>.program",
  "gpg.program",
  "gpg.ssh.defaultKeyCommand",
  "guitool.<name>.cmd",
  "help.browser",
  "hook.<name>.command",
  "imap.tunnel",
  "instaweb.browser",
  "instaweb.httpd",
  "interactive.diffFilter",
  "man.<tool>.cmd",
  "man.<tool>.path",
  "merge.<driver>.driver",
  "mergetool.<tool>.cmd",
  "mergetool.<tool>.path",
  "pager.<cmd>",
  "remote.<name>.receivepack",
  "remote.<name>.uploadpack",
  "remote.<name>.vcs",
  "sendemail.ccCmd",
  "sendemail.headerCmd",
  "sendemail.sendmailCmd",
  "sendemail.smtpServer",
  "sendemail.tocmd",
  "sequence.editor",
  "submodule.<name>.update!",
  "tar.<format>.command",
  "trailer.<token>.cmd",
  "trailer.<token>.command",
  "uploadpack.packObjectsHook",
  "web.browser",
] as const;

/** Keys with a suspicious name that start nothing: they choose among programs or configure one. */
export const HARMLESS_KEYS = [
  /^(?:advice|color|column|completion|fsmonitor|rebase|fsck|receive\.fsck|fetch\.fsck|notes)\./,
  /^(?:core\.fsmonitorHookVersion|gitcvs\.dbDriver|credential\.protectProtocol)$/,
  /^hook\.(?!.*\.command$)/,
  /^(?:http|remote\.<name>)\.proxy/,
  /^diff\.<driver>\.cachetextconv$/,
];

/** The subcommands that we run: an alias or a pager of this name would be used. */
const SUBCOMMANDS = [
  ...["cat-file", "config", "diff-index", "diff-tree", "ls-files", "merge-base"],
  ...["read-tree", "rev-list", "rev-parse", "symbolic-ref"],
];

const HOOKS = ["post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"];

/** How a missing object would be fetched, and the program this starts. Each overrides `protocol.allow`. */
export const REMOTES = {
  ext: { url: "ext::{program}", starts: "remote" },
  file: { url: "{bare}", starts: "remote.origin.uploadpack" },
  ssh: { url: "ssh://localhost/x", starts: "core.sshCommand" },
  git: { url: "git://localhost/x", starts: "core.gitProxy" },
  vcs: { url: "{program}", vcs: "ext", starts: "remote" },
  insteadOf: { url: "elsewhere:x", starts: "url.insteadOf" },
} as const;

export interface ArmedRepository {
  readonly root: string;
  /** Referenced by the tip of `other`, but missing. */
  readonly missingBlob: string;
  /** The programs started since the last call. */
  started(): string[];
}

/** `main` is checked out, with an edit; `other` lacks a blob, `treeless` its tree. */
export function armedRepository(box: Sandbox, remote: keyof typeof REMOTES): ArmedRepository {
  const attributes = "* filter=canary diff=canary merge=canary\n*.txt filter=a=b\n*.py filter=included\n";
  const root = box.repository({ "a.rs": "fn alpha() {}\n", "b.txt": "b\n", "c.py": "def c(): pass\n" });
  const sub = box.repository({ "s.rs": "fn sub() {}\n" });
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub, "sub");
  write(root, { ".gitattributes": attributes, ".git/info/attributes": "*.rs filter=canary\n" });
  commit(root, "attributes and a submodule");
  branch(root, "other", () => write(root, { "c.rs": "fn gamma() {}\n", "d/e.rs": "fn delta() {}\n" }));
  branch(root, "treeless", () => write(root, { "t/f.rs": "fn phi() {}\n" }));
  const missingBlob = loseObject(root, "other:c.rs");
  loseObject(root, "treeless:t");
  makeRacy(root);
  const programs = join(root, "..", `programs-${remote}`);
  arm(root, programs, REMOTES[remote]);
  arm(join(root, ".git/modules/sub"), programs, REMOTES[remote]);
  write(root, { "new.rs": "fn edited() {}\n" });
  const markers = join(programs, "started");
  return {
    root,
    missingBlob,
    started: () => {
      const names = readdirSync(markers).sort();
      for (const name of names) rmSync(join(markers, name));
      return names;
    },
  };
}

function loseObject(root: string, name: string): string {
  const id = git(root, "rev-parse", name).trim();
  rmSync(join(root, ".git/objects", id.slice(0, 2), id.slice(2)));
  return id;
}

/** Files newer than the index: git then compares their contents, through the filters. */
function makeRacy(root: string): void {
  const later = new Date(Date.now() + 1_000_000_000);
  for (const file of git(root, "ls-files", "*.*").trim().split("\n"))
    if (statSync(join(root, file)).isFile()) utimesSync(join(root, file), later, later);
  git(root, "update-index", "-q", "--refresh");
  utimesSync(join(root, ".git/index"), 1_000_000_000, 1_000_000_000);
}

interface Remote {
  readonly url: string;
  readonly vcs?: string;
}

function arm(gitDir: string, programs: string, remote: Remote): void {
  const directory = gitDir.includes(".git/") ? gitDir : join(gitDir, ".git");
  mkdirSync(join(programs, "started"), { recursive: true });
  const program = (name: string) => {
    const file = join(programs, name.replaceAll("/", "_"));
    writeFileSync(file, `#!/bin/sh\n: > '${join(programs, "started", name.replaceAll("/", "_"))}'\n`, { mode: 0o755 });
    return file;
  };
  const bare = join(programs, "bare");
  execFileSync("git", ["init", "-q", "--bare", bare]);
  const url = remote.url.replace("{program}", program("remote")).replace("{bare}", bare);
  const settings: [string, string][] = [
    ["core.repositoryFormatVersion", "1"],
    ["extensions.partialClone", "origin"],
    ["remote.origin.promisor", "true"],
    ["remote.origin.url", url],
    ...(remote.vcs === undefined ? [] : [["remote.origin.vcs", remote.vcs] as [string, string]]),
    [`url.ext::${program("url.insteadOf")} .insteadOf`, "elsewhere:"],
    ["submodule.recurse", "true"],
    ["diff.submodule", "log"],
    ["diff.ignoreSubmodules", "none"],
    ["core.hooksPath", join(programs, "hooks")],
    ["hook.canary.event", "post-index-change"],
    ["protocol.allow", "always"],
    ...["ext", "file", "ssh", "git", "http", "https"].map((it): [string, string] => [`protocol.${it}.allow`, "always"]),
    ["filter.canary.required", "true"],
    ["filter.a=b.clean", program("filter.a=b.clean")],
    ["include.path", "included.config"],
    ...PROGRAM_SETTINGS.flatMap((key) => valuesOf(key, program)),
  ];
  appendFileSync(join(directory, "config"), settings.map(configLine).join(""));
  writeFileSync(
    join(directory, "included.config"),
    configLine(["filter.included.clean", program("filter.included.clean")]),
  );
  for (const hooks of [join(directory, "hooks"), join(programs, "hooks")]) {
    mkdirSync(hooks, { recursive: true });
    for (const hook of HOOKS) {
      const file = program(`hook ${hook}`);
      writeFileSync(join(hooks, hook), `#!/bin/sh\nexec '${file}'\n`, { mode: 0o755 });
    }
  }
}

function valuesOf(key: string, program: (name: string) => string): [string, string][] {
  const before = key.endsWith("!") ? "!" : "";
  const plain = key.replace(/!$/, "");
  // One is a directory and one the end of a program's name: see `arm`.
  if (plain === "core.hooksPath" || plain === "remote.<name>.vcs") return [];
  const names = /^(?:alias\.\*(?:\.command)?|pager\.<cmd>)$/.test(plain)
    ? SUBCOMMANDS.map((it) => plain.replace(/\*|<cmd>/, it))
    : [
        plain.replace(/<(\w+)>/, (_, what) =>
          what === "name" ? nameIn(plain) : what === "url" ? "https://h" : "canary",
        ),
      ];
  return names.map((name) => [name, before + program(name)]);
}

function nameIn(key: string): string {
  return key.startsWith("remote.") ? "origin" : key.startsWith("submodule.") ? "sub" : "canary";
}

function configLine([key, value]: readonly [string, string]): string {
  const [, section, subsection, name] = /^([^.]+)(?:\.(.*))?\.([^.]+)$/s.exec(key)!;
  const head = subsection === undefined ? `[${section}]` : `[${section} "${subsection}"]`;
  return `${head}\n\t${name} = "${value}"\n`;
}

/** A directory for PATH with a git that does not know `GIT_NO_LAZY_FETCH`, like every version before 2.45. */
export function olderGit(box: Sandbox): string {
  return gitAfter(box, "unset GIT_NO_LAZY_FETCH");
}

/** A directory for PATH with a git that reports every repository as owned by another user. */
export function foreignGit(box: Sandbox): string {
  return gitAfter(box, "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1");
}

function gitAfter(box: Sandbox, line: string): string {
  const directory = join(box.home, "..", "git-in-path");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  mkdirSync(directory);
  writeFileSync(join(directory, "git"), `#!/bin/sh\n${line}\nexec '${real}' "$@"\n`, { mode: 0o755 });
  return directory;
}

/**
 * Special files in place of small text files of a repository, the configuration or the data directory: no command and no
 * server hangs, the server answers a ping meanwhile and exits when its input ends, and no git process remains.
 *
 * Every run covers a few pairs of kind and place. `CODECOMPASS_LONG=1` runs all of them, and
 * `CODECOMPASS_LONG=fifo,zero` those of some kinds.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandResult, codecompass } from "../kit/command.ts";
import { until } from "../kit/faults.ts";
import { commandOf, descendantsOf, isRunning } from "../kit/processes.ts";
import { git, type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

const { CODECOMPASS_LONG: LONG } = process.env;
/** Longer than all of the product's own limits, and than a busy machine takes to index two files: anything longer hangs. */
const HANGS_MS = 240_000;
const TIMEOUT_MS = 3_600_000;
const AT_ONCE = 4;

interface Kind {
  make(path: string): void | Promise<void>;
  /** Readers see the same as without a file. */
  readonly isMissing?: true;
  readonly isLarge?: true;
}

const sockets: Server[] = [];

const KINDS: Readonly<Record<string, Kind>> = {
  fifo: { make: (path) => void execFileSync("mkfifo", [path]) },
  socket: {
    make: (path) =>
      new Promise((resolve) => {
        sockets.push(createServer().listen(path, resolve));
      }),
  },
  directory: { make: (path) => mkdirSync(path) },
  zero: { make: (path) => symlinkSync("/dev/zero", path) },
  random: { make: (path) => symlinkSync("/dev/random", path) },
  tty: { make: (path) => symlinkSync("/dev/tty", path) },
  full: { make: (path) => symlinkSync("/dev/full", path) },
  kmsg: { make: (path) => symlinkSync("/proc/kmsg", path), isMissing: true },
  broken: { make: (path) => symlinkSync("nowhere", path), isMissing: true },
  loop: { make: (path) => symlinkSync(path, path) },
  sparse: {
    make: (path) => {
      writeFileSync(path, "");
      truncateSync(path, 10 * 2 ** 30);
    },
    isLarge: true,
  },
  // Root can read it anyway, which is harmless.
  unreadable: {
    make: (path) => {
      writeFileSync(path, "");
      chmodSync(path, 0);
    },
    isMissing: true,
  },
};

interface Place {
  /** The file, in a copy of the prepared environment. */
  readonly at: (machine: Machine) => string;
  /**
   * The answer or the error names the file; `unless large` if git reads what it needs of it, `by the server` if
   * it belongs to the tree that a command uses as the workspace.
   */
  readonly told?: true | "unless large" | "by the server";
  /** The file belongs to an existing index. */
  readonly indexed?: true;
}

interface Machine {
  readonly base: string;
  readonly repository: string;
  readonly workspace: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

const inGit =
  (...path: string[]) =>
  ({ repository }: Machine) =>
    join(repository, ".git", ...path);
const inUserHome =
  (...path: string[]) =>
  ({ base }: Machine) =>
    join(base, ...path);

const PLACES: Readonly<Record<string, Place>> = {
  "the repository's config.toml": { at: ({ workspace }) => join(workspace, ".codecompass/config.toml"), told: true },
  "the user's config.toml": { at: ({ home }) => join(home, "config.toml"), told: true },
  ".git": { at: inGit(), told: true },
  ".git/HEAD": { at: inGit("HEAD"), told: true },
  ".git/config": { at: inGit("config"), told: true },
  ".git/commondir": { at: inGit("commondir"), told: true },
  ".git/index": { at: inGit("index"), told: "unless large" },
  ".git/packed-refs": { at: inGit("packed-refs"), told: "unless large" },
  ".git/shallow": { at: inGit("shallow"), told: true },
  ".git/refs/heads/main": { at: inGit("refs/heads/main"), told: true },
  ".git/info/exclude": { at: inGit("info/exclude"), told: true },
  ".git/info/attributes": { at: inGit("info/attributes"), told: true },
  "the list of alternates": { at: inGit("objects/info/alternates"), told: true },
  "an index of a pack": { at: inGit("objects/pack/pack-1234.idx"), told: "unless large" },
  "an object": { at: (machine) => looseObject(machine) },
  "a chain of commit graphs": { at: inGit("objects/info/commit-graphs/commit-graph-chain"), told: "unless large" },
  "a replaced object": {
    at: (machine) => join(machine.repository, ".git/refs/replace", headOf(machine)),
    told: "unless large",
  },
  "a split index": { at: inGit("sharedindex.1234"), told: "unless large" },
  "a configuration that is included": { at: (machine) => included(machine), told: true },
  "the alternates of an alternate": { at: (machine) => join(borrowed(machine), "info/alternates"), told: true },
  "a pack of an alternate": { at: (machine) => join(borrowed(machine), "pack/pack-1234.idx"), told: "unless large" },
  "a linked work tree's gitdir": { at: inGit("worktrees/other/gitdir") },
  "a .gitignore above the workspace": { at: ({ repository }) => join(repository, ".gitignore"), told: "by the server" },
  "a .gitignore of the workspace": { at: ({ workspace }) => join(workspace, ".gitignore") },
  "a .codecompassignore of the workspace": { at: ({ workspace }) => join(workspace, ".codecompassignore") },
  "~/.gitconfig": { at: inUserHome(".gitconfig"), told: true },
  "~/.config/git/config": { at: inUserHome(".config/git/config"), told: true },
  "~/.config/git/ignore": { at: inUserHome(".config/git/ignore"), told: true },
  "a row of the registry": { at: ({ home }) => only(join(home, "workspaces")), indexed: true },
  "the pointer of a store": { at: ({ home }) => join(only(join(home, "stores")), "CURRENT"), indexed: true },
  "the memory of a walk": { at: ({ home }) => join(only(join(home, "stores")), "tree-0.known"), indexed: true },
};

/** The most common cases, in every run. */
const ALWAYS: readonly (readonly [kind: string, place: string])[] = [
  ["zero", "the repository's config.toml"],
  ["fifo", ".git"],
  ["fifo", ".git/HEAD"],
  ["fifo", ".git/info/exclude"],
  ["fifo", ".git/config"],
  ["zero", "a .gitignore above the workspace"],
  ["sparse", "~/.config/git/ignore"],
  ["loop", ".git/refs/heads/main"],
  ["fifo", "a configuration that is included"],
  ["fifo", "a chain of commit graphs"],
  ["fifo", "a pack of an alternate"],
];

function only(directory: string): string {
  return join(directory, readdirSync(directory)[0]!);
}

function headOf({ repository }: Machine): string {
  return git(repository, "rev-parse", "HEAD").trim();
}

/** Found by a path with a quote, below a section that has a condition. */
function included({ repository }: Machine): string {
  const line = '[includeIf "gitdir:**"] PATH = "more"/config ; of a team\n';
  appendFileSync(join(repository, ".git/config"), line);
  return join(repository, ".git/more/config");
}

/** A directory of objects that the repository borrows from. */
function borrowed({ repository }: Machine): string {
  const info = join(repository, ".git/objects/info");
  mkdirSync(info, { recursive: true });
  writeFileSync(join(info, "alternates"), '# shared\n"../../borr\\157wed"\n');
  const directory = join(repository, "borrowed");
  mkdirSync(join(directory, "info"), { recursive: true });
  return directory;
}

function looseObject({ repository }: Machine): string {
  const id = git(repository, "rev-parse", "HEAD^{tree}").trim();
  return join(repository, ".git/objects", id.slice(0, 2), id.slice(2));
}

let box: Sandbox;
let template: Machine;
let copies = 0;

beforeAll(async () => {
  box = sandbox();
  const base = join(box.home, "..", "template");
  const repository = join(base, "tree");
  write(repository, { "sub/src/app.py": "def greet(name):\n    return name\n", "top.py": "def top(): pass\n" });
  git(repository, "init", "-q", "-b", "main");
  git(repository, "add", "-A");
  git(repository, "commit", "-q", "-m", "first");
  template = machineAt(base);
});

afterAll(() => {
  for (const socket of sockets) socket.close();
  box[Symbol.dispose]();
});

/** The user's home, the data directory and a repository whose sub-directory is the workspace. */
function machineAt(base: string): Machine {
  const { GIT_CONFIG_GLOBAL: _, XDG_CONFIG_HOME: __, ...env } = box.env;
  const home = join(base, "data");
  const repository = join(base, "tree");
  return {
    base,
    repository,
    workspace: join(repository, "sub"),
    home,
    env: { ...env, HOME: base, CODECOMPASS_HOME: home },
  };
}

async function machineWith(kind: Kind, place: Place): Promise<Machine & { readonly file: string }> {
  const base = join(box.home, "..", String(++copies));
  cpSync(template.base, base, { recursive: true });
  const machine = machineAt(base);
  if (place.indexed) expect((await command(machine, "index")).code).toBe(0);
  const file = place.at(machine);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { recursive: true, force: true });
  await kind.make(file);
  return { ...machine, file };
}

/** The exit code shows that a process had to be killed. */
function command({ workspace, env }: Machine, ...args: string[]): Promise<CommandResult> {
  let timer: NodeJS.Timeout;
  const ran = codecompass(args, {
    cwd: workspace,
    env,
    onStart: (child) => {
      timer = setTimeout(() => child.kill("SIGKILL"), HANGS_MS);
    },
  });
  return ran.finally(() => clearTimeout(timer));
}

interface Outcome {
  readonly faults: readonly string[];
  /** Everything that was printed. */
  readonly said: string;
}

const BUG = /internal_error|Unexpected failure|\n {4}at |unhandled|uncaught/i;

/** A search indexes first if there is no index. */
const COMMANDS = [["index"], ["search", "greet"], ["index_status", "--json"]];

async function commands(machine: Machine): Promise<Outcome> {
  const faults: string[] = [];
  let said = "";
  for (const args of LONG ? COMMANDS : COMMANDS.slice(1, 2)) {
    const ran = await command(machine, ...args);
    said += ran.out + ran.err;
    if (ran.code === null) faults.push(`${args[0]} hangs`);
    else if (ran.code === 2 && ran.err === "" && ran.out === "") faults.push(`${args[0]} fails without a word`);
    if (BUG.test(ran.out + ran.err)) faults.push(`${args[0]}: ${ran.out}${ran.err}`);
  }
  return { faults, said };
}

async function server(machine: Machine): Promise<Outcome> {
  const faults: string[] = [];
  const running = startServer(["--workspace", machine.workspace], machine.env, machine.workspace);
  const pid = running.process.pid!;
  const exited = new Promise<void>((resolve) => running.process.on("exit", () => resolve()));
  const kill = setTimeout(() => {
    faults.push("the server hangs");
    running.process.kill("SIGKILL");
  }, 2 * HANGS_MS);
  let said = "";
  try {
    await running.initialize();
    const answers = ["search_code", "index_status"].map((name) =>
      running.request("tools/call", { name, arguments: name === "search_code" ? { query: "greet" } : {} }),
    );
    await running.request("ping");
    said = JSON.stringify(await Promise.all(answers));
    await running.request("ping");
    if (BUG.test(said)) faults.push(said);
  } catch (error) {
    faults.push(String(error));
  }
  const started = descendantsOf(pid);
  running.process.stdin.end();
  await exited;
  clearTimeout(kill);
  await until("its children have ended", () => !started.some(isRunning), HANGS_MS).catch(() => {
    faults.push(`children of the server stay: ${started.filter(isRunning).map(commandOf).join(", ")}`);
  });
  if (BUG.test(running.stderr())) faults.push(running.stderr());
  return { faults, said: said + running.stderr() };
}

async function check(kindName: string, placeName: string): Promise<string[]> {
  const [kind, place] = [KINDS[kindName]!, PLACES[placeName]!];
  const machine = await machineWith(kind, place);
  const parts = { commands: await commands(machine), server: await server(machine) };
  const told = place.told !== undefined && !kind.isMissing && !(place.told === "unless large" && kind.isLarge);
  // `.git` may be a directory.
  const isUsual = kindName === "directory" && placeName === ".git";
  return Object.entries(parts).flatMap(([part, { faults, said }]) => {
    const mustTell = told && !isUsual && (place.told !== "by the server" || part === "server");
    const silent = mustTell && !said.includes(machine.file) ? [`nothing is said of ${machine.file}: ${said}`] : [];
    return [...faults, ...silent].map((fault) => `${kindName} as ${placeName}, ${part}: ${fault}`);
  });
}

const pairs = LONG
  ? Object.keys(KINDS)
      .filter((kind) => LONG === "1" || LONG.split(",").includes(kind))
      .flatMap((kind) => Object.keys(PLACES).map((place) => [kind, place] as const))
  : ALWAYS;

test.skipIf(process.platform !== "linux")(
  `${pairs.length} special files: commands and servers exit, answer a ping, and report the problem`,
  async () => {
    const faults: string[] = [];
    const waiting = pairs.values();
    const worker = async () => {
      for (const [kind, place] of waiting) {
        const found = await check(kind, place);
        if (LONG) process.stderr.write(`${[`${kind} as ${place}: ${found.length} faults`, ...found].join("\n  ")}\n`);
        faults.push(...found);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(faults).toEqual([]);
  },
  TIMEOUT_MS,
);

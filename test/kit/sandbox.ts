/** A temporary environment for one test: a data directory and trees in the system's temp directory. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Sandbox {
  readonly home: string;
  /** Environment for a child process: data directory inside the sandbox, no user configuration. */
  readonly env: NodeJS.ProcessEnv;
  tree(files: Readonly<Record<string, string>>): string;
  /** The same as a git repository with one commit on `main`. */
  repository(files: Readonly<Record<string, string>>): string;
  [Symbol.dispose](): void;
}

export function sandbox(): Sandbox {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "codecompass-test-")));
  const home = join(base, "home");
  let trees = 0;
  const tree = (files: Readonly<Record<string, string>>) => {
    const root = join(base, `tree-${++trees}`);
    mkdirSync(root);
    write(root, files);
    return root;
  };
  return {
    home,
    env: { ...process.env, CODECOMPASS_HOME: home, HOME: base, NO_COLOR: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
    tree,
    repository: (files) => {
      const root = tree(files);
      git(root, "init", "-q", "-b", "main");
      commit(root, "first");
      return root;
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true, maxRetries: 3 }),
  };
}

export function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

export function git(root: string, ...args: string[]): string {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

export function commit(root: string, message: string): string {
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", message);
  return git(root, "rev-parse", "HEAD").trim();
}

/** A branch off `main` with one commit; `main` is checked out afterwards. */
export function branch(root: string, name: string, edit: () => void): void {
  git(root, "switch", "-qc", name, "main");
  edit();
  commit(root, name);
  git(root, "switch", "-q", "main");
}

/** The state of a repository that only its user may change. */
export function gitState(root: string): string[] {
  const asked = ["status --porcelain", "rev-parse HEAD", "for-each-ref", "worktree list", "stash list", "ls-files -s"];
  return asked.map((it) => git(root, ...it.split(" ")));
}

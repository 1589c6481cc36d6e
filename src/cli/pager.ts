/** Shows output that is longer than the screen in a pager, as git does. Only for a terminal. */
import { type ChildProcess, spawn } from "node:child_process";

export interface PagerOptions {
  readonly rows: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a short output goes. */
  write(text: string): void;
}

export interface Pager {
  out(text: string): void;
  /** Whether there was any output yet. */
  readonly holds: boolean;
  /** What belongs below the output. */
  after(write: () => void): void;
  /** Resolves when everything was shown and the pager has ended. */
  end(): Promise<void>;
}

/** The command line of the pager; undefined: none is wanted. */
export function pagerCommand(env: PagerOptions["env"]): string | undefined {
  const command = env.CODECOMPASS_PAGER ?? env.PAGER ?? "less";
  return command === "" || command === "cat" ? undefined : command;
}

/** With which a shell ends that does not know the program. */
const NOT_FOUND = 127;

export function createPager({ rows, env, write }: PagerOptions): Pager {
  const command = pagerCommand(env);
  let held = "";
  let lines = 0;
  let child: ChildProcess | undefined;
  let isOpen = true;
  const later: (() => void)[] = [];
  const start = () => {
    // As git: leave the text on the screen, pass colours, and end at once if it fits after all.
    const started = spawn(command!, {
      shell: true,
      stdio: ["pipe", "inherit", "inherit"],
      env: { LESS: "FRX", ...env },
    });
    started.on("error", () => {});
    // The reader has seen enough.
    started.stdin!.on("error", () => {
      isOpen = false;
    });
    return started;
  };
  return {
    get holds() {
      return held !== "";
    },
    out: (text) => {
      held += text;
      if (child !== undefined) {
        if (isOpen) child.stdin!.write(text);
        return;
      }
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
      if (command === undefined || lines < rows) return;
      child = start();
      child.stdin!.write(held);
    },
    after: (show) => void later.push(show),
    end: async () => {
      if (child === undefined) write(held);
      else {
        const ended = new Promise<number | null>((resolve) => child!.once("close", resolve));
        child.stdin!.end();
        if ((await ended) === NOT_FOUND) write(held);
      }
      for (const show of later) show();
    },
  };
}

/** Starts a daemon behind a command that a person typed, so that the next one need not load the index again. */
import { spawn } from "node:child_process";
import type { Config } from "../../config/schema.ts";
import type { Call } from "../command.ts";
import { controlDaemon } from "./client.ts";

/** Never from CI, and by default only from a terminal: no script leaves a process behind. */
export async function startDaemonBehind({ env, terminal, globals }: Call, config: Config, home: string): Promise<void> {
  const mode = config["cli.daemon"];
  const isWanted = mode === "on" || (mode === "auto" && terminal.outIsTty);
  const entry = process.argv[1];
  // It would not be asked: it reads neither a store of many machines nor the config file of one command.
  if (!isWanted || env.CI || config.store !== "" || globals.config !== undefined || entry === undefined) return;
  if ((await controlDaemon(env, "status")) !== undefined) return;
  const { CODECOMPASS_REEXECUTED: _, ...inherited } = env;
  const child = spawn(process.execPath, [...process.execArgv, entry, "daemon", "run"], {
    cwd: home,
    env: { ...inherited, CODECOMPASS_HOME: home },
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  child.on("error", () => {});
  child.unref();
}

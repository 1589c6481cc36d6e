/** The process that answers queries of the command line between two commands. */
import { counted } from "../../tools/text/style.ts";
import type { Call, CommandSpec, ExitCode } from "../command.ts";
import { controlDaemon } from "../daemon/client.ts";
import { type DaemonStatus, daemonFile } from "../daemon/protocol.ts";

export default {
  name: "daemon",
  summary: "Show or stop the process that keeps the index open between queries",
  group: "Commands:",
  argument: {
    name: "<action>",
    doc: "status; stop; run: answer queries in this process until five idle minutes have passed",
    choices: ["status", "stop", "run"],
  },
  flags: [],
  examples: ["daemon status", "daemon stop"],

  async run(call) {
    const [action] = call.words;
    if (action === "run") return serve(call);
    const status = await controlDaemon(call.env, action === "stop" ? "stop" : "status");
    return report(call, status, action === "stop" ? "stopped" : "running");
  },
} satisfies CommandSpec;

async function serve({ env, execute }: Call): Promise<ExitCode> {
  const { serveDaemon } = await import("../daemon/serve.ts");
  await serveDaemon(daemonFile(env), { env: { ...env }, execute });
  return 0;
}

/** As for a search: 1 when there is none. */
function report({ terminal, globals }: Call, status: DaemonStatus | undefined, now: "running" | "stopped"): ExitCode {
  if (globals.json)
    terminal.out(`${JSON.stringify({ state: status === undefined ? "not_running" : now, ...status })}\n`);
  else if (status === undefined) terminal.out("No daemon is running\n");
  else terminal.out(`Daemon ${status.pid} ${now}; ${counted(status.answered, "answer")} so far\n`);
  return status === undefined ? 1 : 0;
}

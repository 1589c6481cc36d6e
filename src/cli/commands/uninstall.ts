import { dataHome } from "../../config/load.ts";
import { type CommandSpec, type ExitCode, WORKSPACE_FLAGS } from "../command.ts";
import { CLIENT_FLAGS } from "../install/flags.ts";

export default {
  name: "uninstall",
  summary: "Remove the MCP server from a client's configuration",
  group: "Commands:",
  flags: [...CLIENT_FLAGS, { flags: "--dry-run", doc: "Show the changes without writing them" }, ...WORKSPACE_FLAGS],
  examples: ["uninstall --client claude-code", "uninstall --client cursor --project"],

  async run(call): Promise<ExitCode> {
    const { renderChange } = await import("../install/report.ts");
    const { parseInstallRequest } = await import("../install/request.ts");
    const { uninstall } = await import("../install/uninstall.ts");
    const request = parseInstallRequest(call);
    const removal = uninstall(request, { home: dataHome(call.env), dryRun: call.flags.dryRun === true });
    const { name } = request.client;
    const what = removal.status === "restored" ? "Restored the previous entry" : "Removed";
    call.terminal.out(
      renderChange(call, request, {
        ...removal,
        unchanged: `Not installed for ${name}: ${removal.path}`,
        after: [`${what} for ${name}: ${removal.path}`],
      }),
    );
    return 0;
  },
} satisfies CommandSpec;

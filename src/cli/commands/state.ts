import { resolve } from "node:path";
import type { StateReport } from "../../compass/compass.ts";
import { CompassError } from "../../model/errors.ts";
import { counted } from "../../tools/text/style.ts";
import { type CommandSpec, type ExitCode, WORKSPACE_FLAGS } from "../command.ts";
import { openCommandProject, withCompass } from "../session.ts";

const ACTIONS = ["export", "import"] as const;

export default {
  name: "state",
  summary: "Export the index to an archive, or import one (export in CI, import on developer machines)",
  group: "Commands:",
  argument: { name: "<action>", doc: "Action", choices: ACTIONS },
  second: { name: "<file>", doc: "Archive file (.tar.zst)" },
  flags: WORKSPACE_FLAGS,
  examples: ["state export index.tar.zst", "state import index.tar.zst", "state import ../ci/index.tar.zst --path api"],

  run(call): Promise<ExitCode> {
    const [action, file = ""] = call.words;
    if (!file.endsWith(".tar.zst")) {
      throw new CompassError("invalid_input", { reason: `${file} must end in .tar.zst` });
    }
    return withCompass(call, async (session) => {
      const project = await openCommandProject(session);
      const path = resolve(call.cwd, file);
      const report =
        action === "export"
          ? await session.compass.exportState(project, path)
          : await session.compass.importState(project, path, call.signal);
      call.terminal.out(call.globals.json ? `${JSON.stringify(fields(report))}\n` : readable(action!, report));
      return 0 as ExitCode;
    });
  },
} satisfies CommandSpec;

function fields({ file, bytes, refs, files }: StateReport) {
  return { file, ...(bytes > 0 && { bytes }), refs, file_versions: files };
}

function readable(action: string, { file, bytes, refs, files }: StateReport): string {
  const what = `${counted(files, "file version")} of ${counted(refs.length, "ref")}`;
  if (action === "export") return `Exported ${what} to ${file} (${(bytes / 1e6).toFixed(1)} MB)\n`;
  return `Imported ${what} from ${file}\nNext: codecompass sync (only what differs is indexed)\n`;
}

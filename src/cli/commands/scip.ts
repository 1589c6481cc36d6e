/** `scip export`: the definitions and certain uses of a workspace for other tools. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { version } from "../../config/manifest.ts";
import { CompassError } from "../../model/errors.ts";
import { encodeMetadata } from "../../scip/encode.ts";
import { counted } from "../../tools/text/style.ts";
import { type CommandSpec, type ExitCode, REF_FLAG, WORKSPACE_FLAGS } from "../command.ts";
import { freshenToRead, openCommandProject, withCompass } from "../session.ts";

/** Files that are bound and written at once. */
const PAGE = 200;

export default {
  name: "scip",
  summary: "Export definitions and references as a SCIP index",
  group: "Commands:",
  argument: { name: "<action>", doc: "Action", choices: ["export"] },
  second: { name: "<file>", doc: "File to write (index.scip)" },
  flags: [REF_FLAG, ...WORKSPACE_FLAGS],
  examples: ["scip export index.scip", "scip export main.scip --ref main"],

  run(call): Promise<ExitCode> {
    const file = resolve(call.cwd, call.words[1] ?? "");
    return withCompass(call, async (session) => {
      const project = await openCommandProject(session);
      const { ref } = call.flags;
      await freshenToRead(call, session, project, ref);
      const options = { policy: "balanced", signal: call.signal, ...(typeof ref === "string" && { ref }) } as const;
      const totals = await session.compass.read(project, options, async (reading) => {
        const parts = new PartialFile(file);
        const sum = { documents: 0, occurrences: 0 };
        try {
          parts.write(encodeMetadata({ version: version() }, pathToFileURL(project.root).href));
          for (let offset = 0; ; ) {
            call.signal.throwIfAborted();
            const page = await reading.scip({ offset, limit: PAGE });
            if (page.files === 0) break;
            parts.write(page.bytes);
            offset += page.files;
            sum.documents += page.documents;
            sum.occurrences += page.occurrences;
          }
        } catch (error) {
          parts.discard();
          throw error;
        }
        parts.finish();
        return sum;
      });
      const { documents, occurrences } = totals;
      call.terminal.out(
        call.globals.json
          ? `${JSON.stringify({ file, documents, occurrences })}\n`
          : `Exported ${counted(documents, "file")} with ${counted(occurrences, "occurrence")} to ${file}\n`,
      );
      return documents > 0 ? 0 : 1;
    });
  },
} satisfies CommandSpec;

/** Replaces a file once it is whole. */
class PartialFile {
  private readonly file: string;
  private readonly part: string;
  private readonly handle: number;

  constructor(file: string) {
    this.file = file;
    this.part = `${file}.part`;
    try {
      this.handle = openSync(this.part, "w", 0o600);
    } catch (cause) {
      throw new CompassError("invalid_input", { reason: `${file} cannot be written` }, { cause });
    }
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.handle, bytes, at);
  }

  finish(): void {
    closeSync(this.handle);
    renameSync(this.part, this.file);
  }

  discard(): void {
    closeSync(this.handle);
    rmSync(this.part, { force: true });
  }
}

/** `scip export`: the definitions and certain uses of a workspace for other tools. `scip import`: what a compiler knows. */
import { closeSync, createReadStream, openSync, rmSync, statSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Compass, Project } from "../../compass/compass.ts";
import { version } from "../../config/manifest.ts";
import { findReadProblem, kindProblem } from "../../io/bounded-read.ts";
import { replaceFile } from "../../io/replace-file.ts";
import type { ScipImportReport } from "../../model/compiler-edges.ts";
import { CompassError, errorMessage } from "../../model/errors.ts";
import { encodeMetadata } from "../../scip/encode.ts";
import { counted } from "../../tools/text/style.ts";
import { type Call, type CommandSpec, type ExitCode, REF_FLAG, WORKSPACE_FLAGS } from "../command.ts";
import { freshenToRead, openCommandProject, withCompass } from "../session.ts";

/** Files that are bound and written at once. */
const PAGE = 200;

const ACTIONS = ["export", "import"] as const;

export default {
  name: "scip",
  summary: "Export references as a SCIP index, or import a compiler's",
  group: "Commands:",
  argument: { name: "<action>", doc: "Action", choices: ACTIONS },
  second: { name: "<file>", doc: "SCIP index (index.scip)" },
  flags: [REF_FLAG, ...WORKSPACE_FLAGS],
  examples: ["scip export index.scip", "scip export main.scip --ref main", "scip import index.scip"],

  run(call): Promise<ExitCode> {
    const [action, name = ""] = call.words;
    const file = resolve(call.cwd, name);
    return withCompass(call, async (session) => {
      const project = await openCommandProject(session);
      const { ref } = call.flags;
      await freshenToRead(call, session, project, ref);
      const run = action === "export" ? exportIndex : importIndex;
      return run({ call, compass: session.compass, project, file, ...(typeof ref === "string" && { ref }) });
    });
  },
} satisfies CommandSpec;

interface ScipCommand {
  readonly call: Call;
  readonly compass: Compass;
  readonly project: Project;
  readonly file: string;
  readonly ref?: string;
}

async function exportIndex({ call, compass, project, file, ref }: ScipCommand): Promise<ExitCode> {
  const options = { policy: "balanced", signal: call.signal, ...(ref !== undefined && { ref }) } as const;
  const { documents, occurrences } = await compass.read(project, options, async (reading) => {
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
  call.terminal.out(
    call.globals.json
      ? `${JSON.stringify({ file, documents, occurrences })}\n`
      : `Exported ${counted(documents, "file")} with ${counted(occurrences, "occurrence")} to ${file}\n`,
  );
  return documents > 0 ? 0 : 1;
}

async function importIndex({ call, compass, project, file, ref }: ScipCommand): Promise<ExitCode> {
  const source = { open: unchangedFile(file), ...(ref !== undefined && { ref }) };
  const report = await compass.importScip(project, source, call.signal);
  const { tool, documents, imported, edges, missing, changed, leftOut } = report;
  const fields = { file, tool, documents, imported, edges, not_in_view: missing, other_content: changed };
  call.terminal.out(
    call.globals.json ? `${JSON.stringify({ ...fields, left_out: leftOut })}\n` : importLines(report).join(""),
  );
  return imported > 0 ? 0 : 1;
}

function importLines({ tool, imported, edges, missing, changed, leftOut }: ScipImportReport): string[] {
  const lines = [`Imported ${counted(edges, "edge")} of ${counted(imported, "file")}, written by ${tool}\n`];
  if (changed > 0) lines.push(`Left out ${counted(changed, "document")} about another content of the file\n`);
  if (missing > 0) lines.push(`Left out ${counted(missing, "document")} of files that are not in the index\n`);
  if (leftOut.length > 0) lines.push(`For example ${leftOut.join(", ")}\n`);
  return lines;
}

/** Reads the file as often as needed, and refuses to mix two states of it. */
function unchangedFile(file: string): () => AsyncIterable<Uint8Array> {
  let seen: string | undefined;
  return async function* () {
    yield* readFile(file);
    const { size, mtimeMs, ino } = statSync(file);
    const now = `${size} ${mtimeMs} ${ino}`;
    if (seen !== undefined && seen !== now)
      throw new CompassError("invalid_input", { reason: `${file} changed while it was read` });
    seen = now;
  };
}

/** Refuses what is no regular file, so that the command never waits for a writer. */
async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  const problem = findReadProblem(file);
  if (problem !== undefined) throw new CompassError("invalid_input", { reason: `${file} ${problem.reason}` });
  try {
    yield* createReadStream(file, { highWaterMark: CHUNK_BYTES });
  } catch (cause) {
    const reason = `${file} cannot be read: ${errorMessage(cause)}`;
    throw new CompassError("invalid_input", { reason }, { cause });
  }
}

const CHUNK_BYTES = 1 << 20;

/** Replaces a regular file once it is whole. Never follows a link and never opens what the repository put in its place. */
class PartialFile {
  private readonly file: string;
  private readonly part: string;
  private readonly handle: number;

  constructor(file: string) {
    this.file = file;
    this.part = `${file}.part`;
    const found = statSync(file, { throwIfNoEntry: false });
    const problem = found && kindProblem(found, Number.POSITIVE_INFINITY);
    if (problem !== undefined) throw new CompassError("invalid_input", { reason: `${file} ${problem.reason}` });
    try {
      rmSync(this.part, { force: true });
      this.handle = openSync(this.part, "wx", 0o600);
    } catch (cause) {
      throw new CompassError("invalid_input", { reason: `${file} cannot be written` }, { cause });
    }
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.handle, bytes, at);
  }

  finish(): void {
    closeSync(this.handle);
    replaceFile(this.part, this.file);
  }

  discard(): void {
    closeSync(this.handle);
    rmSync(this.part, { force: true });
  }
}

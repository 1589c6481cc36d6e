/** Runs an indexing job to its end and reports what it did, for `index` and `sync`. */
import type { Project, ViewContents } from "../compass/compass.ts";
import { CompassError, ERRORS, type ErrorCode } from "../model/errors.ts";
import type { Job, JobMode } from "../model/jobs.ts";
import { counted, skippedText } from "../tools/text/style.ts";
import type { Call, ExitCode } from "./command.ts";
import { createProgress } from "./progress.ts";
import { type CommandSession, openCommandProject, withCompass } from "./session.ts";

export interface JobRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remediation: string;
}

export function runJob(call: Call, mode: JobMode): Promise<ExitCode> {
  return withCompass(call, async (session) => {
    const project = await openCommandProject(session);
    const job = (await isCurrent(call, session, project)) ? undefined : await runToEnd(call, session, project, mode);
    if (job?.status === "cancelled" || job?.status === "interrupted") return 130;
    if (job?.status === "failed") throw jobError(job);
    const { ref } = call.flags;
    const shown = await session.compass.viewContents(project, typeof ref === "string" ? ref : undefined);
    call.terminal.out(call.globals.json ? `${JSON.stringify(jobFields(mode, job, shown))}\n` : describeRun(job, shown));
    await session.compass.complete();
    return 0;
  });
}

/** An up-to-date index needs no job, except with --force. */
async function isCurrent(call: Call, { compass }: CommandSession, project: Project): Promise<boolean> {
  const { force, ref } = call.flags;
  return force !== true && (await compass.isCurrent(project, typeof ref === "string" ? ref : undefined));
}

async function runToEnd(call: Call, session: CommandSession, project: Project, mode: JobMode): Promise<Job> {
  const progress = createProgress(call);
  const { ref, force } = call.flags;
  try {
    return await session.compass.index(project, {
      mode,
      force: force === true,
      waitMs: Number.POSITIVE_INFINITY,
      signal: call.signal,
      onProgress: (job) => progress.show(job.progress),
      ...(typeof ref === "string" && { ref }),
    });
  } finally {
    progress.end();
  }
}

/** The job's own refusal, as if it had been thrown here. */
function jobError(job: Job): CompassError {
  const { code, message, remediation } = jobRefusal(job);
  const error = new CompassError(code, { suggestion: remediation });
  // Of what the job knew when it was refused, only the sentence was written down.
  error.message = message;
  return error;
}

export function jobRefusal({ error, errorMessage, errorSuggestion }: Job): JobRefusal {
  const code = Object.hasOwn(ERRORS, error ?? "") ? (error as ErrorCode) : "internal_error";
  const remediation = errorSuggestion ?? ERRORS[code].remediation;
  return { code, message: errorMessage ?? "the job failed", remediation };
}

/** JSON of a finished run; without a job, nothing had changed. */
export function jobFields(mode: JobMode, job: Job | undefined, shown: ViewContents) {
  return {
    ...(job !== undefined && { job_id: job.id }),
    status: "published",
    mode,
    ref: shown.ref,
    changed_files: job?.changedFiles ?? 0,
    file_count: shown.fileCount,
    symbol_count: shown.symbolCount,
    duration_ms: durationMs(job),
    skipped_reasons: shown.coverage?.skippedReasons ?? {},
    ...(shown.repository !== undefined && { repository: shown.repository }),
    ...(job?.rebuilt !== undefined && { rebuilt: job.rebuilt }),
  };
}

function describeRun(job: Job | undefined, shown: ViewContents): string {
  const lines = [rebuiltText(job), summary(job, shown), skippedText(shown.coverage), namelessText(shown)];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

function rebuiltText(job: Job | undefined): string {
  return job?.rebuilt === undefined ? "" : `The index was damaged (${job.rebuilt}) and has been rebuilt`;
}

/** Warning for a repository in a shared store without a name; else empty. */
export function namelessText({ repository }: ViewContents): string {
  if (repository !== null) return "";
  return "Only this machine can ask for it: a remote `origin` on a host would give it a name";
}

/** The same on one line. */
export function summary(job: Job | undefined, shown: ViewContents): string {
  const size = `${counted(shown.fileCount, "file")}, ${counted(shown.symbolCount, "symbol")}`;
  const changed = job?.changedFiles ?? 0;
  const did =
    changed === 0
      ? "Up to date"
      : `Indexed ${counted(changed, "changed file")} in ${(durationMs(job) / 1000).toFixed(1)} s`;
  return `${did}: ${size} at ${shown.ref}`;
}

function durationMs(job: Job | undefined): number {
  return job === undefined ? 0 : Math.round((job.finishedAt ?? job.startedAt) - job.startedAt);
}

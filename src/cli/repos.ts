/**
 * `index --repos FILE`: indexes the repositories of a list, several at a time, and prints a line for each. A failure
 * does not stop the others. A later run reuses what an interrupted one stored.
 */
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Compass, Project } from "../compass/compass.ts";
import { dataHome } from "../config/data-home.ts";
import { readBounded } from "../io/bounded-read.ts";
import { CompassError, errorMessage } from "../model/errors.ts";
import type { Job } from "../model/jobs.ts";
import type { Call, ExitCode } from "./command.ts";
import { type JobRefusal, jobRefusal } from "./job.ts";
import { type ListedRepository, parseRepoList, RepoReport, type RepositoryOutcome } from "./repo-list.ts";
import { loadCommandConfig } from "./session.ts";

/** One repository parses on all cores by itself; several at once fill the moments in which it lists, stores or waits. */
export const JOBS_AT_ONCE = 4;
const MOST_AT_ONCE = 64;
const CLOSED = "Run this as the user that owns it, or let this user read it and the folders above it.";
const NO_CLONE = "Clone it there, or correct its line in the list.";

export async function indexRepos(call: Call, file: string): Promise<ExitCode> {
  requireAlone(call);
  const atOnce = parseJobs(call.flags.jobs);
  const listed = readList(call, file);
  const compasses = new Compasses(call, atOnce);
  const report = new RepoReport(call, listed.length);
  try {
    await runLimited(chains(listed), atOnce, async (chain) => {
      for (const [at, one] of chain.entries()) {
        if (call.signal.aborted) return;
        // A forced index starts from scratch: forced again for the next ref, it would drop the one before.
        const force = call.flags.force === true && at === 0;
        report.add(one, await indexRepository(call, compasses, { ...one, force }));
      }
    });
    const exit = report.end();
    if (!call.signal.aborted) await compasses.complete();
    return exit;
  } finally {
    await compasses.close();
  }
}

function requireAlone({ flags }: Call): void {
  if (flags.path === undefined && flags.workspace === undefined) return;
  throw new CompassError("invalid_input", { reason: "--repos names the repositories: leave --path out" });
}

function parseJobs(given: unknown): number {
  const jobs = Number(given);
  if (Number.isInteger(jobs) && jobs >= 1 && jobs <= MOST_AT_ONCE) return jobs;
  const reason = `--jobs must be a whole number from 1 to ${MOST_AT_ONCE}, not ${given}`;
  throw new CompassError("invalid_input", { reason, parameter: "--jobs" });
}

function readList({ cwd, flags }: Call, file: string): ListedRepository[] {
  const listed =
    file === "-"
      ? parseRepoList(readListText(0), cwd)
      : parseRepoList(readListText(resolve(cwd, file)), dirname(resolve(cwd, file)));
  const { ref } = flags;
  return typeof ref === "string" ? listed.map((one) => ({ ref, ...one })) : listed;
}

/** A line has a path: this is room for 100,000 of them. */
const MAX_LIST_BYTES = 64 << 20;
/** As which a shell passes the output of a command, `<(…)`: a pipe that the user wants to be waited for. */
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

function readListText(file: string | 0): string {
  if (file === 0 || DESCRIPTOR.test(file)) return pipedText(file);
  const read = readBounded(file, MAX_LIST_BYTES);
  if ("bytes" in read) return read.bytes.toString("utf8");
  throw unreadableList(`${file} ${read.problem.reason}`);
}

function pipedText(file: string | 0): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw unreadableList((error as Error).message, error);
  }
}

function unreadableList(why: string, cause?: unknown): CompassError {
  const reason = `the list cannot be read: ${why}`;
  return new CompassError("invalid_input", { reason, parameter: "--repos" }, { cause });
}

/** Refs of one tree come after each other: a tree has one writer. */
function chains(listed: readonly ListedRepository[]): ListedRepository[][] {
  return [...Map.groupBy(listed, ({ path }) => path).values()];
}

async function runLimited<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  const waiting = all.values();
  const worker = async () => {
    for (const one of waiting) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
}

interface RepositoryToIndex extends ListedRepository {
  readonly force: boolean;
}

async function indexRepository(call: Call, compasses: Compasses, one: RepositoryToIndex): Promise<RepositoryOutcome> {
  try {
    requireReadable(one.path);
    const compass = await compasses.for(one.path);
    const project = await compass.register(one.path);
    const job = await indexed(call, compass, project, one);
    if (job?.status === "cancelled" || job?.status === "interrupted") return { status: "cancelled" };
    if (job?.status === "failed") return { status: "failed", why: jobRefusal(job) };
    return { status: "published", job, shown: await compass.viewContents(project, one.ref) };
  } catch (error) {
    return call.signal.aborted ? { status: "cancelled" } : { status: "failed", why: refused(error) };
  }
}

function requireReadable(path: string): void {
  let found: boolean;
  try {
    found = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (found) accessSync(path, constants.R_OK | constants.X_OK);
  } catch {
    throw new CompassError("invalid_input", { reason: `${path} may not be read by this user`, suggestion: CLOSED });
  }
  if (!found) throw new CompassError("invalid_input", { reason: `${path} is not a directory`, suggestion: NO_CLONE });
}

/** Undefined if nothing had changed. Waits for another process that writes the same repository. */
async function indexed(
  call: Call,
  compass: Compass,
  project: Project,
  { ref, force }: RepositoryToIndex,
): Promise<Job | undefined> {
  const { signal } = call;
  const which = ref === undefined ? {} : { ref };
  for (;;) {
    if (!force && (await compass.isCurrent(project, ref))) return undefined;
    try {
      const waitMs = Number.POSITIVE_INFINITY;
      return await compass.index(project, { mode: "full", force, waitMs, signal, ...which });
    } catch (error) {
      if (!(error instanceof CompassError && /_in_progress$/.test(error.code))) throw error;
      if (call.globals.verbose) call.terminal.err(`codecompass: waiting for another ingest of ${project.root}\n`);
      // Where the other one is dead, it is done here once its lease has run out.
      let own: Job | undefined;
      const onProgress = (job: Job) => {
        own = job;
      };
      await compass.freshen(project, { signal, onProgress, ...which });
      if (!force && own?.status === "published") return own;
    }
  }
}

function refused(error: unknown): JobRefusal {
  const reason = errorMessage(error);
  const { code, message, data } =
    error instanceof CompassError ? error : new CompassError("internal_error", { reason }, { cause: error });
  return { code, message, remediation: String(data.suggestion ?? data.remediation) };
}

/** One core per configuration: a repository's own file may change what is indexed. */
class Compasses {
  readonly #call: Call;
  readonly #jobs: number;
  readonly #open = new Map<string, Promise<Compass>>();

  constructor(call: Call, jobs: number) {
    this.#call = call;
    this.#jobs = jobs;
  }

  for(directory: string): Promise<Compass> {
    const settings = loadCommandConfig(this.#call, directory).config;
    const key = JSON.stringify(settings);
    const home = dataHome(this.#call.env);
    const jobs = this.#jobs;
    let compass = this.#open.get(key);
    if (compass === undefined) {
      compass = import("../compose/compose.ts").then(({ openCompass }) =>
        openCompass({ home, workspaces: [], settings, watch: false, jobs }),
      );
      this.#open.set(key, compass);
    }
    return compass;
  }

  async complete(): Promise<void> {
    for (const compass of this.#open.values()) await (await compass).complete();
  }

  async close(): Promise<void> {
    for (const compass of this.#open.values()) await (await compass).close();
  }
}

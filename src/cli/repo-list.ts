/** The list of `index --repos`, one repository per line, and the report of what became of each. */
import { resolve } from "node:path";
import type { ViewContents } from "../compass/compass.ts";
import { CompassError } from "../model/errors.ts";
import type { Job } from "../model/jobs.ts";
import { printable, skippedText } from "../tools/text/style.ts";
import type { Call, ExitCode } from "./command.ts";
import { type JobRefusal, jobFields, namelessText, summary } from "./job.ts";

export interface ListedRepository {
  /** Absolute. */
  readonly path: string;
  /** Absent: what is checked out, or the default branch of a bare clone. */
  readonly ref?: string;
}

const LINE = /^(?:"(?<quoted>[^"]+)"|(?<plain>[^\s"]\S*))(?:\s+(?<ref>[^\s#"]\S*))?\s*(?:#.*)?$/;

/** Relative paths are relative to `directory`. Duplicates are dropped. */
export function parseRepoList(text: string, directory: string): ListedRepository[] {
  const found = new Map<string, ListedRepository>();
  for (const [at, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const { quoted, plain, ref } = LINE.exec(trimmed)?.groups ?? {};
    if (quoted === undefined && plain === undefined) throw unreadableLine(at + 1, trimmed);
    const listed = { path: resolve(directory, (quoted ?? plain)!), ...(ref !== undefined && { ref }) };
    found.set(`${listed.path}\0${ref ?? ""}`, listed);
  }
  if (found.size === 0)
    throw new CompassError("invalid_input", { reason: "the list names no repository", parameter: "--repos" });
  return [...found.values()];
}

function unreadableLine(line: number, text: string): CompassError {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  const reason = `line ${line} of the list is not a path and at most one ref: ${shown} (put a path with spaces into double quotes)`;
  return new CompassError("invalid_input", { reason, parameter: "--repos" });
}

export type RepositoryOutcome =
  | { readonly status: "published"; readonly job: Job | undefined; readonly shown: ViewContents }
  | { readonly status: "cancelled" }
  | { readonly status: "failed"; readonly why: JobRefusal };

export class RepoReport {
  readonly #call: Call;
  readonly #total: number;
  readonly #startedAt = performance.now();
  readonly #counts = { published: 0, failed: 0, cancelled: 0 };

  constructor(call: Call, total: number) {
    this.#call = call;
    this.#total = total;
  }

  add(one: ListedRepository, outcome: RepositoryOutcome): void {
    this.#counts[outcome.status]++;
    const { json } = this.#call.globals;
    this.#call.terminal.out(`${json ? JSON.stringify(outcomeFields(one, outcome)) : this.#line(one, outcome)}\n`);
  }

  end(): ExitCode {
    const { terminal, globals, signal } = this.#call;
    const { published, failed } = this.#counts;
    const duration_ms = Math.round(performance.now() - this.#startedAt);
    const missing = this.#total - published - failed;
    if (globals.json)
      terminal.out(
        `${JSON.stringify({ repositories: this.#total, published, failed, not_done: missing, duration_ms })}\n`,
      );
    else if (failed + missing > 0)
      terminal.err(`codecompass: ${failed} of ${this.#total} failed, ${missing} not done\n`);
    if (signal.aborted) return 130;
    return failed + missing > 0 ? 2 : 0;
  }

  #line(one: ListedRepository, outcome: RepositoryOutcome): string {
    const { published, failed, cancelled } = this.#counts;
    const at = String(published + failed + cancelled).padStart(String(this.#total).length);
    return `[${at}/${this.#total}] ${printable(one.path)}: ${printable(describeOutcome(one, outcome))}`;
  }
}

function describeOutcome({ ref }: ListedRepository, outcome: RepositoryOutcome): string {
  if (outcome.status === "published") {
    const { job, shown } = outcome;
    // Explain why nothing was indexed.
    const skipped = shown.fileCount === 0 ? skippedText(shown.coverage) : "";
    const nameless = namelessText(shown);
    return `${summary(job, shown)}${skipped && ` (${skipped})`}${nameless && `. ${nameless}`}`;
  }
  const of = ref === undefined ? "" : ` (${ref})`;
  if (outcome.status === "cancelled") return `interrupted${of}`;
  const { message, remediation } = outcome.why;
  return `failed${of}: ${message}${/[.!?]$/.test(message) ? "" : "."} ${remediation}`;
}

function outcomeFields({ path, ref }: ListedRepository, outcome: RepositoryOutcome): object {
  if (outcome.status === "published") return { path, ...jobFields("full", outcome.job, outcome.shown) };
  const named = { path, ...(ref !== undefined && { ref }), status: outcome.status };
  return outcome.status === "failed" ? { ...named, error: outcome.why } : named;
}

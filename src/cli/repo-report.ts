/** What became of each repository of a list: a line when it ends, and at the end the sum and the exit code. */
import type { ViewContents } from "../compass/compass.ts";
import type { Job } from "../model/jobs.ts";
import type { Call, ExitCode } from "./command.ts";
import { type JobRefusal, jobFields, namelessText, summary } from "./job.ts";
import { skippedText } from "./render/counts.ts";
import { printable } from "./render/style.ts";
import type { ListedRepository } from "./repo-list.ts";

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
    // Where nothing is indexed, nobody should have to guess why.
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

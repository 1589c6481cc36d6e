import type { PruneReport } from "../../compass/compass.ts";
import { CompassError } from "../../model/errors.ts";
import { counted, printable } from "../../tools/text/style.ts";
import { type CommandSpec, type ExitCode, WORKSPACE_FLAGS } from "../command.ts";
import { openCommandProject, withCompass } from "../session.ts";

const DEFAULT_DAYS = "30";

export default {
  name: "prune-overlays",
  summary: "Remove indexes of branches that have not been queried recently",
  group: "Commands:",
  flags: [
    { flags: "--older-than <days>", doc: "Remove refs not queried for this many days", default: DEFAULT_DAYS },
    { flags: "--dry-run", doc: "Show what would be removed" },
    ...WORKSPACE_FLAGS,
  ],
  examples: ["prune-overlays --dry-run", "prune-overlays --older-than 14"],

  run(call): Promise<ExitCode> {
    const olderThanDays = days(call.flags.olderThan);
    const dryRun = call.flags.dryRun === true;
    return withCompass(call, async (session) => {
      const project = await openCommandProject(session);
      const report = await session.compass.prune(project, { olderThanDays, dryRun, signal: call.signal });
      call.terminal.out(call.globals.json ? `${JSON.stringify(fields(report, dryRun))}\n` : readable(report, dryRun));
      return 0 as ExitCode;
    });
  },
} satisfies CommandSpec;

function days(given: unknown): number {
  const number = Number(given);
  if (String(given).trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw new CompassError("invalid_input", { reason: `--older-than must be a number of days, not ${given}` });
}

function fields({ removed, kept, bytesFreed, versionsRemoved }: PruneReport, dryRun: boolean) {
  const dated = (row: { readonly ref: string; readonly lastUsedAt: number }) => ({
    ref: row.ref,
    last_used_at: new Date(row.lastUsedAt).toISOString(),
  });
  return {
    dry_run: dryRun,
    removed: removed.map(dated),
    kept: kept.map((row) => ({ ...dated(row), reason: row.reason })),
    bytes_freed: bytesFreed,
    versions_removed: versionsRemoved,
  };
}

const REASONS: Readonly<Record<PruneReport["kept"][number]["reason"], string>> = {
  default_ref: "the default branch",
  checked_out: "checked out",
  recently_used: "recently queried",
  in_use: "being read",
  base_of_others: "other refs are stored as a difference to it",
  outside_data_directory: "outside the data directory",
};

function readable({ removed, kept, bytesFreed }: PruneReport, dryRun: boolean): string {
  const gone = removed.map(({ ref, lastUsedAt }) => `  ${printable(ref)}  last used ${day(lastUsedAt)}`);
  const stay = kept.map(({ ref, reason }) => `  ${printable(ref)}  ${REASONS[reason]}`);
  const verb = dryRun ? "Would remove" : "Removed";
  const freed = bytesFreed > 0 ? `, ${(bytesFreed / 1e6).toFixed(1)} MB freed` : "";
  return `${[`${verb} ${counted(removed.length, "ref")}${freed}`, ...gone, `Kept ${counted(kept.length, "ref")}`, ...stay].join("\n")}\n`;
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

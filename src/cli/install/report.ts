/** What a person or a program is told about a change to a client's configuration. */
import type { Call } from "../command.ts";
import type { InstallRequest } from "./request.ts";

export interface ConfigChange {
  readonly status: string;
  readonly path: string;
  /** Empty where nothing changes. */
  readonly diff: string;
}

/** `after` are the lines that follow a change which was written, `unchanged` stands for none. */
export function renderChange(
  { globals, flags }: Call,
  { client, scope }: InstallRequest,
  change: ConfigChange & { readonly unchanged: string; readonly after: readonly string[] },
): string {
  const { status, path, diff, unchanged, after } = change;
  const written = diff !== "" && flags.dryRun !== true;
  if (globals.json) return `${JSON.stringify({ client: client.id, scope, file: path, status, written, diff })}\n`;
  if (diff === "") return `${unchanged}\n`;
  if (!written) return `${diff}Nothing was written (--dry-run).\n`;
  return `${diff}\n${after.join("\n")}\n`;
}

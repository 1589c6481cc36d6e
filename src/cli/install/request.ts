/** The request of `install` and `uninstall` (client, scope, file), and how the change is shown. */
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { repositoryRoot } from "../../config/load.ts";
import { userHome } from "../../io/home.ts";
import { CompassError } from "../../model/errors.ts";
import type { Call } from "../command.ts";
import { workspaceDirectory } from "../session.ts";
import { CLIENTS, type Client, findClient, type InstallScope } from "./clients.ts";
import { type ConfigFile, openConfig, unusable } from "./file.ts";
import { type ConfigTarget, parsed } from "./plan.ts";
import { at, isObject } from "./value.ts";

/** The name under which a client lists the server. */
const NAME = "codecompass";

export interface InstallRequest {
  readonly client: Client;
  readonly scope: InstallScope;
  readonly path: string;
  /** The named project, or the enclosing one. */
  readonly directory: string;
  /** Whether the command line names it. */
  readonly named: boolean;
}

export function parseInstallRequest(call: Call): InstallRequest {
  const client = findClient(call.flags.client);
  if (!client) throw invalidRequest(`--client is missing; it is one of: ${CLIENTS.map(({ id }) => id).join(", ")}`);
  const scope = parseScope(call);
  const given = workspaceDirectory(call);
  const named = call.flags.path !== undefined || call.flags.workspace !== undefined;
  const directory = named ? given : repositoryRoot(given);
  const files = configFiles(call, client, scope).map((file) => (isAbsolute(file) ? file : join(directory, file)));
  return { client, scope, directory, named, path: files.find((file) => existsSync(file)) ?? files[0]! };
}

export function openFor({ path, scope, directory }: InstallRequest): ConfigFile {
  return openConfig(path, scope === "project" ? { inside: directory } : {});
}

/** Where in the file our entry is or belongs. Refuses a file that cannot be understood. */
export function targetIn({ client }: InstallRequest, file: ConfigFile): ConfigTarget {
  const { format, section, sectionIfPresent } = client;
  const value = understood(file, () => parsed(file.text ?? "", { format, path: [] }));
  const isThere = sectionIfPresent !== undefined && isObject(at(value, sectionIfPresent));
  return { format, path: [...(isThere ? sectionIfPresent : section), NAME] };
}

/** Reports any error of an edit as a problem of the file. */
export function understood<T>(file: ConfigFile, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw unusable(file.path, (error as Error).message, error);
  }
}

function parseScope({ flags }: Call): InstallScope {
  if (flags.user === true && flags.project === true) throw invalidRequest("--user and --project exclude each other");
  return flags.project === true ? "project" : "user";
}

function configFiles({ env }: Call, client: Client, scope: InstallScope): readonly string[] {
  const files =
    scope === "project" ? client.project : client.user?.({ platform: process.platform, home: userHome(), env });
  if (files) return files;
  throw invalidRequest(`${client.name} has no configuration per project; leave --project out`);
}

function invalidRequest(reason: string): CompassError {
  return new CompassError("invalid_input", { reason });
}

export interface ConfigChange {
  readonly status: string;
  readonly path: string;
  /** Empty where nothing changes. */
  readonly diff: string;
}

/** `after`: lines after a written change; `unchanged`: the line if there was none. */
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

const CONTEXT = 2;
/** Files of one line exist, and so do tokens in other servers' entries: a neighbour's line is shown only so far. */
const WIDTH = 160;

export function renderDiff(name: string, before: string | undefined, after: string | undefined): string {
  const old = splitLines(before ?? "");
  const now = splitLines(after ?? "");
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - CONTEXT);
  const until = Math.max(0, tail - CONTEXT);
  const [oldEnd, newEnd] = [old.length - until, now.length - until];
  return [
    `--- ${before === undefined ? "(none)" : name}`,
    `+++ ${after === undefined ? "(none)" : name}`,
    `@@ -${range(from, oldEnd)} +${range(from, newEnd)} @@`,
    ...old.slice(from, head).map((line) => ` ${cut(line)}`),
    ...old.slice(head, old.length - tail).map((line) => `-${cut(line)}`),
    ...now.slice(head, now.length - tail).map((line) => `+${cut(line)}`),
    ...old.slice(old.length - tail, oldEnd).map((line) => ` ${cut(line)}`),
    "",
  ].join("\n");
}

function range(from: number, end: number): string {
  return `${end > from ? from + 1 : from},${end - from}`;
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function cut(line: string): string {
  return line.length > WIDTH ? `${line.slice(0, WIDTH)}…` : line;
}

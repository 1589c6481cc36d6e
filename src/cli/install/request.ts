/** What `install` and `uninstall` are asked for: which client, whose configuration, which file, which place in it. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { repositoryRoot } from "../../config/load.ts";
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
  /** The project that the command line names or stands in. */
  readonly directory: string;
  /** Whether the command line names it. */
  readonly named: boolean;
}

export function parseInstallRequest(call: Call): InstallRequest {
  const client = findClient(call.flags.client);
  if (!client) throw invalid(`--client is missing; it is one of: ${CLIENTS.map(({ id }) => id).join(", ")}`);
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

/** Whatever an edit stumbles over is told as the file's problem. */
export function understood<T>(file: ConfigFile, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw unusable(file.path, (error as Error).message, error);
  }
}

function parseScope({ flags }: Call): InstallScope {
  if (flags.user === true && flags.project === true) throw invalid("--user and --project exclude each other");
  return flags.project === true ? "project" : "user";
}

function configFiles({ env }: Call, client: Client, scope: InstallScope): readonly string[] {
  const files =
    scope === "project" ? client.project : client.user?.({ platform: process.platform, home: homedir(), env });
  if (files) return files;
  throw invalid(`${client.name} has no configuration per project; leave --project out`);
}

function invalid(reason: string): CompassError {
  return new CompassError("invalid_input", { reason });
}

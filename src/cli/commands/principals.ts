import type { openPrincipals } from "../../compose/principals.ts";
import { CompassError } from "../../model/errors.ts";
import { isoTime } from "../../tools/wire/job.ts";
import type { Call, CommandSpec, ExitCode } from "../command.ts";
import { loadCommandConfig } from "../session.ts";

const ACTIONS = ["list", "add", "set", "remove", "sql"] as const;
const DAY_MS = 86_400_000;
const MOST_DAYS = 3_650;

type OpenPrincipals = Awaited<ReturnType<typeof openPrincipals>>;
type ListedPrincipal = Awaited<ReturnType<OpenPrincipals["list"]>>[number];

export default {
  name: "principals",
  summary: "Manage who can read which repositories of a shared store",
  group: "Commands:",
  argument: {
    name: "[action...]",
    doc: "list (default), add NAME GLOB..., set NAME GLOB... (replace its repositories, keep its token), remove NAME..., or sql (print the role definitions for the database owner)",
  },
  flags: [{ flags: "--expires-days <n>", doc: "Expire the new token after N days" }],
  examples: [
    "principals --store postgres://admin@db/code",
    "principals add web-team 'github.com/acme/web-*' --store postgres://admin@db/code",
    "principals set web-team 'github.com/acme/web-*' github.com/acme/api --store postgres://admin@db/code",
    "principals remove web-team --store postgres://admin@db/code",
    "principals sql",
  ],

  async run(call): Promise<ExitCode> {
    const [action = "list", ...words] = call.words;
    if (!ACTIONS.some((known) => known === action)) throw usageError(`${action} is not one of: ${ACTIONS.join(", ")}`);
    const { openPrincipals, rolesSql } = await import("../../compose/principals.ts");
    if (action === "sql") {
      call.terminal.out(await rolesSql());
      return 0;
    }
    const principals = await openPrincipals(loadCommandConfig(call, call.cwd).config.store);
    try {
      if (action === "list") return await list(call, principals);
      if (action === "set") return await set(call, principals, words);
      return action === "add" ? await add(call, principals, words) : await remove(call, principals, words);
    } finally {
      await principals.close();
    }
  },
} satisfies CommandSpec;

async function list({ globals, terminal }: Call, principals: OpenPrincipals): Promise<ExitCode> {
  const all = await principals.list();
  if (globals.json) terminal.out(`${JSON.stringify(all.map(principalFields))}\n`);
  else for (const one of all) terminal.out(principalLine(one));
  return all.length > 0 ? 0 : 1;
}

async function add(call: Call, principals: OpenPrincipals, [name, ...globs]: readonly string[]): Promise<ExitCode> {
  const { globals, terminal, flags } = call;
  if (name === undefined || globs.length === 0) throw usageError("missing arguments: principals add NAME GLOB...");
  requireName(name);
  for (const glob of globs) requireGlob(glob);
  const days = parseDays(flags.expiresDays);
  const expires = days === undefined ? {} : { expiresAt: Date.now() + days * DAY_MS };
  const token = await principals.add({ name, globs, ...expires });
  const repositories = await countRepositories(principals, name);
  terminal.out(globals.json ? `${JSON.stringify({ name, globs, repositories, token })}\n` : `${token}\n`);
  if (!globals.json) terminal.err(`This is the token of ${name}. It is shown once; the store keeps only its hash.\n`);
  if (repositories === 0) warnNoMatch(terminal, globs);
  return 0;
}

async function set({ globals, terminal }: Call, principals: OpenPrincipals, [name, ...globs]: readonly string[]) {
  if (name === undefined || globs.length === 0) throw usageError("missing arguments: principals set NAME GLOB...");
  for (const glob of globs) requireGlob(glob);
  if (!(await principals.setGlobs(name, globs))) throw usageError(`there is no principal ${name}`);
  const repositories = await countRepositories(principals, name);
  const sees = `it sees ${repositories} of the store's repositories`;
  terminal.out(globals.json ? `${JSON.stringify({ name, globs, repositories })}\n` : `Changed: ${name}; ${sees}\n`);
  if (repositories === 0) warnNoMatch(terminal, globs);
  return 0 as const;
}

async function countRepositories(principals: OpenPrincipals, name: string): Promise<number> {
  return (await principals.list()).find((one) => one.name === name)?.repositories ?? 0;
}

/** A repository may be indexed later, so this is no error. */
function warnNoMatch(terminal: Call["terminal"], globs: readonly string[]): void {
  const hint = globs.some((glob) => /(?<!\*)\*(?!\*)/.test(glob))
    ? " '*' stays inside one part of a name: 'github.com/**' matches 'github.com/acme/web', 'github.com/*' does not."
    : "";
  terminal.err(`Warning: no repository of the store matches ${globs.join(" ")}.${hint}\n`);
}

async function remove({ globals, terminal }: Call, principals: OpenPrincipals, names: readonly string[]) {
  if (names.length === 0) throw usageError("missing argument: principals remove NAME");
  for (const name of names) {
    if (!(await principals.remove(name))) throw usageError(`there is no principal ${name}`);
    terminal.out(globals.json ? `${JSON.stringify({ name, removed: true })}\n` : `Removed: ${name}\n`);
  }
  return 0 as const;
}

function principalFields({ name, globs, repositories, createdAt, expiresAt }: ListedPrincipal) {
  const expires = expiresAt === undefined ? {} : { expires_at: isoTime(expiresAt) };
  return { name, globs, repositories, created_at: isoTime(createdAt), ...expires };
}

function principalLine({ name, globs, repositories, expiresAt }: ListedPrincipal): string {
  const until = expiresAt === undefined ? "" : `, until ${isoTime(expiresAt)}`;
  return `${name}: ${globs.join(" ")} (sees ${repositories} of the store's repositories${until})\n`;
}

function requireName(name: string): void {
  if (/^[\w.@-]{1,100}$/.test(name)) return;
  throw usageError("a principal name may contain letters, digits and . _ - @");
}

/** Refuses glob syntax that has another meaning in a `workspace` selector. */
function requireGlob(glob: string): void {
  if (glob.length <= 500 && /^[^\s[\]{}\\!]+$/.test(glob)) return;
  throw usageError(`${glob.slice(0, 100)} is not the name of a repository, nor one with *, ** or ? in it`);
}

function parseDays(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const days = Number(given);
  if (Number.isInteger(days) && days >= 1 && days <= MOST_DAYS) return days;
  throw new CompassError("invalid_input", {
    parameter: "--expires-days",
    reason: `--expires-days must be a whole number from 1 to ${MOST_DAYS}`,
  });
}

function usageError(reason: string): CompassError {
  return new CompassError("invalid_input", { parameter: "action", reason });
}

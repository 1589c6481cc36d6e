/** `doctor`: each check reports the state and, if something is wrong, what to do. */
import { existsSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Health, Project, ProjectStatus } from "../../compass/compass.ts";
import { isUnregistered } from "../../compose/open-project.ts";
import { dataHome } from "../../config/data-home.ts";
import { CONFIG_KEYS, envName } from "../../config/schema.ts";
import { makeDirectories } from "../../io/make-directories.ts";
import { networkFileSystem } from "../../io/network-file-systems.ts";
import { CompassError, errorMessage } from "../../model/errors.ts";
import { IGNORE_FILES } from "../../model/paths.ts";
import { counted, type Style, skippedText } from "../../tools/text/style.ts";
import { type Call, type CommandSpec, MODEL_FLAG, WORKSPACE_FLAGS } from "../command.ts";
import { createStyle } from "../render/style.ts";
import { type CommandSession, loadCommandConfig, withCompass, workspaceDirectory } from "../session.ts";

export default {
  name: "doctor",
  summary: "Check the installation, the workspace and the index",
  group: "Commands:",
  flags: [MODEL_FLAG, ...WORKSPACE_FLAGS],
  examples: ["doctor", "doctor --json"],

  async run(call) {
    const findings = await diagnose(call);
    const style = createStyle(call.terminal);
    call.terminal.out(
      call.globals.json
        ? `${JSON.stringify({ checks: findings })}\n`
        : findings.map((one) => findingLine(one, style)).join(""),
    );
    return findings.some((one) => one.status === "fail") ? 2 : 0;
  },
} satisfies CommandSpec;

function findingLine({ status, check, detail, next }: DoctorFinding, style: Style): string {
  const word = { ok: style.good("ok  "), warn: style.warn("warn"), fail: style.bad("fail") }[status];
  return `${word}  ${check}: ${detail}\n${next ? `      ${next}\n` : ""}`;
}

interface DoctorFinding {
  readonly status: "ok" | "warn" | "fail";
  readonly check: string;
  readonly detail: string;
  /** What to do next. */
  readonly next?: string;
}

const WATCHER_WAIT_MS = 3_000;
const POLL_MS = 50;

async function diagnose(call: Call): Promise<DoctorFinding[]> {
  const before = [nodeVersion(), dataDirectory(call), environment(call)];
  const config = attempt("configuration", () => configuration(call));
  if (config.status === "fail") return [...before, config];
  try {
    return [...before, config, ...(await withCompass(call, examine, { watch: true }))];
  } catch (error) {
    return [...before, config, broken(error)];
  }
}

async function examine(session: CommandSession): Promise<DoctorFinding[]> {
  const project = await registeredProject(session);
  const health = await watchedHealth(session, project);
  const engine = [
    ...storeFindings(health),
    fullText(health),
    grammars(health),
    watcher(health),
    await embedding(session),
  ];
  if (project === undefined) return [...engine, unregistered(session, health)];
  const [status] = health.projects;
  return [
    ...engine,
    ...(await versionControl(project)),
    ignoreRules(project, status),
    ...(status ? [await index(session, project, status)] : []),
  ];
}

async function versionControl({ root, vcs, published }: Project): Promise<DoctorFinding[]> {
  if (!vcs || published !== undefined) return [];
  const { gitRefusal } = await import("../../compose/git.ts");
  const refusal = await gitRefusal(root);
  if (refusal === undefined) return [{ status: "ok", check: "git", detail: "reads the repository" }];
  const detail = `${refusal.reason}; only the files on disk can be indexed`;
  return [{ status: "warn", check: "git", detail, next: refusal.suggestion }];
}

/** Reading an index starts its watcher; waits briefly for its status. */
async function watchedHealth({ compass }: CommandSession, project: Project | undefined): Promise<Health> {
  const health = await compass.health(project);
  if (project === undefined || health.projects[0]?.viewStatus.schema !== "compatible") return health;
  await compass.read(project, { policy: "best_effort" }, async () => {});
  for (let waited = 0; waited < WATCHER_WAIT_MS; waited += POLL_MS) {
    const now = await compass.health(project);
    if (now.watcher !== "off") return now;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return health;
}

async function registeredProject({ compass, directory }: CommandSession): Promise<Project | undefined> {
  return compass.project(directory).catch((error: unknown) => {
    if (isUnregistered(error)) return undefined;
    throw error;
  });
}

function nodeVersion(): DoctorFinding {
  return { status: "ok", check: "Node", detail: `${process.versions.node} (${process.platform} ${process.arch})` };
}

function dataDirectory({ env }: Call): DoctorFinding {
  const home = dataHome(env);
  const check = "data directory";
  if (!existsSync(home)) return creatable(home);
  const mode = statSync(home).mode & 0o777;
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    return {
      status: "warn",
      check,
      detail: `${home} can be read by others (${mode.toString(8)})`,
      next: `Run: chmod 700 ${home}`,
    };
  }
  return writable(home, home);
}

/** Permissions alone do not tell: the superuser may write below /proc, and no directory can be made there. */
function creatable(home: string): DoctorFinding {
  const check = "data directory";
  try {
    const made = makeDirectories(home, 0o700);
    if (made !== undefined) for (let at = home; at.length >= made.length; at = dirname(at)) rmdirSync(at);
    return { status: "ok", check, detail: `${home} (made when first needed)` };
  } catch (error) {
    return { status: "fail", check, detail: `${home} cannot be made: ${String(error)}`, next: WRITABLE };
  }
}

const WRITABLE =
  "Make it writable (see its permissions and free space), or set CODECOMPASS_HOME to a directory that is.";

/** Permissions alone do not tell of a full disk or a quota that is used up. */
const PROBE_BYTES = 64 << 10;

function writable(directory: string, detail: string): DoctorFinding {
  const check = "data directory";
  const probe = join(directory, `doctor-${process.pid}.tmp`);
  try {
    writeFileSync(probe, new Uint8Array(PROBE_BYTES), { mode: 0o600 });
  } catch (error) {
    return { status: "fail", check, detail: `${directory} cannot be written: ${errorMessage(error)}`, next: WRITABLE };
  } finally {
    rmSync(probe, { force: true });
  }
  const network = networkFileSystem(directory);
  if (network === undefined) return { status: "ok", check, detail };
  return { status: "warn", check, detail: `${directory} is on a network file system (${network})`, next: LOCAL };
}

/** SQLite's write-ahead log needs memory that all its processes share, and no network file system gives that. */
const LOCAL =
  "Two machines that use it at once can damage the index. Set CODECOMPASS_HOME to a directory on a local disk.";

/** Misspelt variables would otherwise be ignored silently. */
function environment({ env }: Call): DoctorFinding {
  const known = new Set([
    "CODECOMPASS_HOME",
    "CODECOMPASS_TOKEN",
    "CODECOMPASS_METRICS_TOKEN",
    "CODECOMPASS_REEXECUTED",
    ...CONFIG_KEYS.map(envName),
  ]);
  const unknown = Object.keys(env).filter((name) => name.startsWith("CODECOMPASS_") && !known.has(name));
  const check = "environment";
  if (unknown.length === 0) return { status: "ok", check, detail: "no unknown CODECOMPASS_ variables" };
  return {
    status: "warn",
    check,
    detail: `unknown: ${unknown.sort().join(", ")}`,
    next: "See docs/config.md for the variables.",
  };
}

function configuration(call: Call): DoctorFinding {
  const { files, origins } = loadCommandConfig(call, workspaceDirectory(call));
  const sources = [...new Set([...origins.values()].filter((origin) => origin.startsWith("environment")))];
  const detail = [...files, ...sources].join(", ") || "defaults";
  return { status: "ok", check: "configuration", detail };
}

/** An index of this machine, or the shared one with what it can do. */
function storeFindings(health: Health): DoctorFinding[] {
  const { store } = health;
  if (store === undefined) return [sqlite(health)];
  const detail = `${store.version} at ${store.address}, answers`;
  const abilities = store.capabilities.map(
    (ability): DoctorFinding => ({ status: "ok", check: "store", detail: ability }),
  );
  return [{ status: "ok", check: "PostgreSQL", detail }, ...abilities];
}

function sqlite({ storeOk, projects }: Health): DoctorFinding {
  const check = "SQLite";
  if (storeOk) return { status: "ok", check, detail: "opens and answers" };
  const why = projects.map(({ schemaMessage }) => schemaMessage).find((message) => message !== undefined);
  const detail = why ?? "the index does not open";
  return { status: "fail", check, detail, next: rebuild(projects) };
}

/** A damaged index is noticed and rebuilt by any run; what another release made is only replaced on request. */
function rebuild(projects: readonly ProjectStatus[]): string {
  const isDamaged = projects.some(({ viewStatus }) => viewStatus.schema === "corrupt_manifest");
  return isDamaged ? "Run `codecompass index`." : "Run `codecompass index --force`.";
}

function fullText({ fullText: { engine, ok }, projects }: Health): DoctorFinding {
  const check = "full text";
  if (ok) return { status: "ok", check, detail: `${engine}, opens and answers` };
  return { status: "fail", check, detail: `${engine} does not answer`, next: rebuild(projects) };
}

function grammars({ grammars: { available, missing } }: Health): DoctorFinding {
  const check = "grammars";
  // Not every language has one: the others are read by rules and need nothing installed.
  if (missing.length === 0) return { status: "ok", check, detail: counted(available.length, "grammar") };
  const next = "Run `npm install` again: these languages are searched as plain text until then.";
  return { status: available.length === 0 ? "fail" : "warn", check, detail: `missing: ${missing.join(", ")}`, next };
}

function watcher({ watcher: mode }: Health): DoctorFinding {
  const check = "watcher";
  if (mode === "native") return { status: "ok", check, detail: "native" };
  if (mode === "off") return { status: "ok", check, detail: "not tried: needs an index" };
  const next = "Raise the system's limit of watched files (Linux: fs.inotify.max_user_watches).";
  return { status: "warn", check, detail: "falls back to polling", next };
}

/** Opens the model: a missing package, a damaged file or an endpoint that is down shows here and not in an answer. */
async function embedding({ loaded: { config } }: CommandSession): Promise<DoctorFinding> {
  const check = "embedding model";
  const { embeddersOf, embeddingOf } = await import("../../compose/embedders.ts");
  const settings = embeddingOf(config);
  const embedders = embeddersOf(settings);
  if (embedders === undefined) return { status: "ok", check, detail: "none: search goes by words only" };
  const where =
    settings.endpoint === undefined ? "on this machine" : `asked at ${settings.endpoint}: texts leave this machine`;
  const answer = await embedders.open();
  if ("embedder" in answer) {
    const { name, dims } = answer.embedder.model;
    return { status: "ok", check, detail: `${name}, ${dims} dimensions, ${where}` };
  }
  const next = "Correct [embedding] in your configuration; until then search goes by words only.";
  return { status: "warn", check, detail: `${answer.unavailable} (${where})`, next };
}

function ignoreRules({ root }: Project, status: ProjectStatus | undefined): DoctorFinding {
  const present = readdirSync(root).filter((name) => IGNORE_FILES.has(name));
  const skipped = skippedText(status?.viewStatus.coverage);
  const detail = [`built-in${present.map((name) => `, ${name}`).join("")}`, skipped]
    .filter((part) => part !== "")
    .join("; ");
  return { status: "ok", check: "ignore rules", detail };
}

function unregistered({ directory }: CommandSession, { store }: Health): DoctorFinding {
  const check = "workspace";
  const detail = `${directory} is not registered`;
  if (store === undefined) return { status: "warn", check, detail, next: "Run `codecompass init`." };
  return { status: "ok", check, detail: `${detail}; what is in the store is asked for by its name, host/owner/name` };
}

async function index({ compass }: CommandSession, project: Project, status: ProjectStatus): Promise<DoctorFinding> {
  const check = "index";
  const { schema, ref, freshness } = status.viewStatus;
  if (schema === "not_indexed") {
    return { status: "warn", check, detail: "not indexed yet", next: "Run `codecompass index`." };
  }
  if (schema !== "compatible") {
    return { status: "fail", check, detail: status.schemaMessage ?? schema, next: rebuild([status]) };
  }
  const damage = await compass.verify(project);
  if (damage.length > 0) {
    const more = damage.length === 1 ? "" : ` and ${damage.length - 1} more`;
    const detail = `damaged: ${damage[0]!.what} (${damage[0]!.where})${more}`;
    return { status: "fail", check, detail, next: "Run `codecompass index --force`." };
  }
  const detail = `${counted(status.fileCount, "file")}, ${counted(status.symbolCount, "symbol")} at ${ref}, ${freshness}`;
  return { status: "ok", check, detail };
}

function attempt(check: string, run: () => DoctorFinding): DoctorFinding {
  try {
    return run();
  } catch (error) {
    return failedCheck(check, error, "Correct the configuration.");
  }
}

/** A refusal has its own remediation and most likely comes from the store. */
function broken(error: unknown): DoctorFinding {
  if (error instanceof CompassError) return failedCheck("store", error, String(error.data.remediation));
  return failedCheck("core", error, "Run `npm install` again; if it persists, report it.");
}

function failedCheck(check: string, error: unknown, next: string): DoctorFinding {
  return { status: "fail", check, detail: errorMessage(error), next };
}

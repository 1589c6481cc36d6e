/** One command per tool, derived from its schema: the required text becomes the argument, everything else a flag. */
import { relative, resolve } from "node:path";
import type { Project } from "../compass/compass.ts";
import { version } from "../config/manifest.ts";
import { toolSettings } from "../config/schema.ts";
import { CompassError } from "../model/errors.ts";
import type { CallContext, Fields, ToolDefinition } from "../tools/define.ts";
import { findTool, jsonSchema, TOOLS } from "../tools/index.ts";
import { MAX_LIMIT, parameterSynonyms } from "../tools/input.ts";
import { runTool, type ToolReply } from "../tools/run.ts";
import { answerLines, foundNothing, noteLines } from "../tools/text/answer.ts";
import { queryWords } from "../tools/text/excerpt.ts";
import { asList } from "../tools/text/layouts.ts";
import type { AnswerView } from "../tools/text/style.ts";
import {
  type Call,
  type CommandArgument,
  type CommandFlag,
  type CommandSpec,
  type ExitCode,
  MODEL_FLAG,
  WORKSPACE_FLAGS,
  WORKSPACES_FLAGS,
} from "./command.ts";
import { type EditorTarget, openInEditor } from "./editor.ts";
import { hyperlinks } from "./render/hyperlink.ts";
import { createStyle } from "./render/style.ts";
import { type CommandSession, freshenToRead, openCommandProject, withCompass, withCompassToQuery } from "./session.ts";

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
}

/** A command waits for its job, because no one can poll it after the process ends. */
const WAIT_SECONDS = 600;
/** What a command is about, where it need not be about anything. */
const SUBJECT = "symbol_name";
const NOT_A_FLAG = new Set(["workspace"]);

export function toolCommands(): CommandSpec[] {
  return TOOLS.map(toolCommand);
}

interface FieldArgument extends CommandArgument {
  readonly field: string;
}

/** What makes a short command of a tool. */
export interface ShortCommand {
  readonly tool: string;
  readonly name: string;
  readonly summary: string;
  /** The arguments and the fields that they fill, in order. */
  readonly words: readonly [FieldArgument, FieldArgument?];
  /** The other fields that have a flag. */
  readonly fields: readonly string[];
  readonly extra?: readonly CommandFlag[];
  readonly preset?: Fields;
  readonly examples: readonly string[];
}

/** A tool under a name that is quickly typed, with the flags that people use. */
export function shortCommand({ words, fields, extra = [], preset = {}, ...short }: ShortCommand): CommandSpec {
  const tool = findTool(short.tool)!;
  const { properties } = inputSchema(tool);
  const [argument, second] = words;
  const byField = words.flatMap((word) => (word === undefined ? [] : [word.field]));
  return {
    name: short.name,
    summary: short.summary,
    group: "Short commands:",
    argument,
    ...(second && { second }),
    flags: [...fields.map((name) => toolFlag(name, properties[name]!)), ...extra, ...workspaceFlags(tool)],
    examples: short.examples,
    ...(isQuery(tool) && { isQuery: true }),
    run: (call) => runToolCommand(tool, byField, preset, call),
  };
}

function toolCommand(tool: ToolDefinition): CommandSpec {
  const { properties, required } = inputSchema(tool);
  const must = required[0];
  const positional = must ?? (SUBJECT in properties ? SUBJECT : undefined);
  const flags = Object.keys(properties).filter((name) => name !== must && !isShared(tool, name));
  return {
    name: tool.name,
    aliases: tool.name.includes("_") ? [tool.name.replaceAll("_", "-")] : [],
    summary: tool.title,
    group: "Tools (the same answers as over MCP):",
    ...(positional && {
      argument: { name: must ? `<${must}>` : `[${positional}]`, doc: firstSentence(properties[positional]) },
    }),
    flags: [
      ...flags.map((name) => toolFlag(name, properties[name]!)),
      ...[...synonymsOf(properties).keys()].map((word) => ({ flags: `--${word} <value>`, doc: "", hidden: true })),
      ...(tool.usesModel === true ? [MODEL_FLAG] : []),
      ...workspaceFlags(tool),
    ],
    examples: [toolExample(tool, positional)],
    ...(isQuery(tool) && { isQuery: true }),
    run: (call) => runToolCommand(tool, positional === undefined ? [] : [positional], {}, call),
  };
}

/** Flags for the other words that MCP callers may use, with the parameter that they mean: `--limit` for `page_size`. */
function synonymsOf(properties: Readonly<Record<string, Property>>): ReadonlyMap<string, string> {
  const names = Object.keys(properties).filter((name) => !NOT_A_FLAG.has(name));
  const taken = new Set([...names.map(flagName), "path", "lang"]);
  const words = parameterSynonyms(names).map(([word, name]) => [flagName(word), name] as const);
  return new Map(words.filter(([word]) => !taken.has(word)));
}

function workspaceFlags(tool: ToolDefinition): readonly CommandFlag[] {
  return tool.multiWorkspace === true ? WORKSPACES_FLAGS : WORKSPACE_FLAGS;
}

/** Reads a view and starts no job. */
function isQuery(tool: ToolDefinition): boolean {
  return tool.source === "view" && tool.access === "read";
}

function runToolCommand(tool: ToolDefinition, words: readonly string[], preset: Fields, call: Call): Promise<ExitCode> {
  const open = isQuery(tool) ? withCompassToQuery : withCompass;
  return open(call, (session) =>
    answerCommand(tool, { ...preset, ...toolArguments(tool, words, call) }, call, session),
  );
}

function inputSchema(tool: ToolDefinition) {
  const schema = jsonSchema(tool.input);
  return {
    properties: schema.properties as Record<string, Property>,
    required: (schema.required ?? []) as readonly string[],
  };
}

function isShared(tool: ToolDefinition, name: string): boolean {
  return NOT_A_FLAG.has(name) || tool.workspaceAliases?.includes(name) === true;
}

function flagName(property: string): string {
  return property === "path" ? "file" : property.replaceAll("_", "-");
}

function toolFlag(name: string, property: Property): CommandFlag {
  const value =
    property.type === "boolean"
      ? ""
      : ` <${property.type === "integer" || property.type === "number" ? "n" : "value"}>`;
  return {
    // `search` calls it --lang.
    flags: `${name === "language" ? "--lang, " : ""}--${flagName(name)}${value}`,
    doc: firstSentence(property),
    ...(property.enum && { choices: property.enum }),
  };
}

function firstSentence(property: Property | undefined): string {
  return (property?.description ?? "").replace(/(?<!\.)\.( .*)?$/s, "");
}

function toolExample(tool: ToolDefinition, positional: string | undefined): string {
  const quoted = (value: unknown) => (/^[\w./-]+$/.test(String(value)) ? String(value) : JSON.stringify(value));
  const given = Object.entries(tool.example).filter(([name, value]) => name !== positional && value !== false);
  const words = given.map(([name, value]) => {
    const flag = isShared(tool, name) ? "--path" : `--${flagName(name)}`;
    return value === true ? flag : `${flag} ${quoted(value)}`;
  });
  return [tool.name, ...(positional ? [quoted(tool.example[positional])] : []), ...words].join(" ");
}

async function answerCommand(
  tool: ToolDefinition,
  given: Fields,
  call: Call,
  session: CommandSession,
): Promise<ExitCode> {
  if (session.remote !== undefined) {
    return printToolAnswer(tool.name, call, session, {
      ...withDefaults(tool, given, session),
      workspace: session.remote,
    });
  }
  if (tool.source === "server")
    return printToolAnswer(
      tool.name,
      call,
      session,
      session.named ? { ...given, workspace: session.directory } : given,
    );
  const project = await openCommandProject(session);
  if (tool.source === "view" && wantsFreshTree(given, session)) await freshenToRead(call, session, project, given.ref);
  return printToolAnswer(tool.name, call, session, {
    ...withDefaults(tool, given, session),
    ...pathsIn(project, call, given),
    workspace: project.root,
  });
}

/** `strict` and `best_effort` query the index as it is. */
function wantsFreshTree(given: Fields, { loaded }: CommandSession): boolean {
  const policy = given.freshness_policy;
  return policy === undefined ? loaded.config["query.freshness_policy"] !== "best_effort" : policy === "balanced";
}

function withDefaults(tool: ToolDefinition, given: Fields, { loaded }: CommandSession): Fields {
  const { shape } = tool.input;
  const limit = loaded.origins.has("query.limit") && "limit" in shape ? { limit: loaded.config["query.limit"] } : {};
  return { ...limit, ...("wait_seconds" in shape && { wait_seconds: WAIT_SECONDS }), ...given };
}

/** Turns paths relative to the current directory into paths relative to the workspace. */
function pathsIn({ root }: Project, { cwd }: Call, given: Fields): Fields {
  const paths = Object.entries(given).filter(([name]) => name === "path" || name === "result_path");
  return Object.fromEntries(
    paths.map(([name, path]) => {
      const inside = relative(root, resolve(cwd, String(path))).replaceAll("\\", "/");
      return [name, inside === "" || inside.startsWith("..") ? path : inside];
    }),
  );
}

function toolArguments(tool: ToolDefinition, names: readonly string[], { words, flags }: Call): Fields {
  const given: Record<string, unknown> = {};
  // Only a question has several words.
  if (names[0] === "query" && words.length > 0) given.query = words.join(" ");
  else for (const [at, word] of words.entries()) if (names[at] !== undefined) given[names[at]] = word;
  const { properties } = inputSchema(tool);
  for (const [name, property] of Object.entries(properties)) {
    const value = flags[camel(flagName(name))];
    if (value !== undefined && !isShared(tool, name)) given[name] = typed(value, property);
  }
  for (const [word, name] of synonymsOf(properties)) {
    const value = flags[camel(word)];
    if (value !== undefined) given[name] ??= typed(value, properties[name]!);
  }
  return given;
}

/** Converts numbers; anything else is passed as text and refused by the tool's own rules. */
function typed(value: unknown, { type }: Property): unknown {
  const isNumber =
    (type === "integer" || type === "number") && String(value).trim() !== "" && Number.isFinite(Number(value));
  return isNumber ? Number(value) : value;
}

function camel(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Runs a tool as a server would and prints the answer. */
export async function printToolAnswer(
  name: string,
  call: Call,
  session: CommandSession,
  input: Fields,
): Promise<ExitCode> {
  const { globals, terminal } = call;
  const tool = findTool(name)!;
  let bug: unknown;
  const onBug = (error: unknown) => {
    bug = error;
  };
  const format = globals.json ? "json" : "text";
  const { open } = call.flags;
  const reply = await runTool(tool, input, callContext(call, session), { onBug, format, forTerminal: true });
  if (bug !== undefined) throw bug;
  if (reply.isError && format === "text") throw toError(reply);
  if (format === "json") terminal.out(`${reply.text}\n`);
  else if (open !== undefined) await openInEditor(call, listedTarget(reply.body, input.workspace, String(open)));
  else printText(tool, reply.body, input, call, session);
  if (reply.isError) return 2;
  return foundNothing(reply.body) ? 1 : 0;
}

/** The lines that a server sends, in colour; what qualifies them goes to stderr. */
function printText(tool: ToolDefinition, body: Fields, input: Fields, call: Call, session: CommandSession): void {
  const { terminal, cwd } = call;
  const style = createStyle(terminal);
  const view = {
    style,
    columns: Math.max(LEAST_COLUMNS, terminal.columns - GUTTER),
    words: queryWords(String(input.query ?? plainName(input.name ?? input.symbol_name))),
    scores: call.flags.scores === true,
    ...links(call, input.workspace, session),
    shownPath: shownPaths(input.workspace, cwd, session),
  };
  terminal.out(
    answerLines(tool, body, view)
      .map((line) => `${line}\n`)
      .join(""),
  );
  const cut = limitNote(body, input.limit);
  // The next call is for agents: people have read the suggestion or the flag above it.
  const notes = noteLines(body).filter((note) => !note.startsWith("next: "));
  for (const note of [...cut, ...notes]) terminal.err(`${note.replace(/^warning(?=:)/, style.warn)}\n`);
}

/** The last part of a qualified name; nothing of a location or an id. */
function plainName(symbol: unknown): string {
  return typeof symbol === "string" ? (/(?:^|[#:.])([^#:./\s]+)$/.exec(symbol)?.[1]?.replace(/^\d+$/, "") ?? "") : "";
}

/** Lists that have an address for each item, in the order in which they are printed. */
const LISTS = ["results", "references", "edges", "affected"] as const;
const LIST_NAMES = { results: "results", references: "references", edges: "calls", affected: "uses" } as const;

/** The n-th item, 1-based. */
function listedTarget(body: Fields, workspace: unknown, given: string): EditorTarget {
  const all = asList(LISTS.map((list) => body[list]).find((list) => Array.isArray(list)));
  const it = /^\d+$/.test(given) ? all[Number(given) - 1] : undefined;
  if (typeof workspace === "string" && it !== undefined && it.workspace === undefined)
    return { path: resolve(workspace, String(it.path)), line: Number(it.line_start) };
  const reason = `--open is ${given}; there are ${all.length} results on this machine`;
  throw new CompassError("invalid_input", { reason });
}

/** Of what was found, how much a limit left out. */
function limitNote(body: Fields, limit: unknown): string[] {
  for (const list of LISTS) {
    const shown = asList(body[list]).length;
    const total = Number(body[`total_${list}`] ?? body.total_candidates);
    // Of the candidates of a search, some are never shown.
    const isCut = shown > 0 && total > shown && (list !== "results" || shown === limit);
    if (isCut) return [`${shown} of ${total} ${LIST_NAMES[list]}; --limit ${nextLimit(shown)} for more`];
  }
  return [];
}

function nextLimit(shown: number): number {
  return shown < 50 ? 50 : MAX_LIMIT;
}

/** Addresses are links where the files are in a directory and the output is for a person. */
function links(call: Call, workspace: unknown, { remote }: CommandSession): Pick<AnswerView, "link"> {
  if (!call.terminal.colour || remote !== undefined || typeof workspace !== "string") return {};
  const link = hyperlinks(call.globals.hyperlinkFormat ?? "default");
  return link === undefined ? {} : { link: (text, path, line) => link(text, resolve(workspace, path), line) };
}

/** A window narrower than this wraps. */
const LEAST_COLUMNS = 40;
/** Columns before a line of source. */
const GUTTER = 9;

/** Relative to the current directory, where the files are in a directory. */
function shownPaths(workspace: unknown, cwd: string, { remote }: CommandSession): (path: string) => string {
  if (remote !== undefined || typeof workspace !== "string") return (path) => path;
  return (path) => relative(cwd, resolve(workspace, path)) || path;
}

function callContext({ signal }: Call, { compass, loaded }: CommandSession): CallContext {
  return { compass, settings: toolSettings(loaded.config), version: version(), signal };
}

function toError({ body }: ToolReply): CompassError {
  const { code, data } = body.error as { code: CompassError["code"]; data: Fields };
  return new CompassError(code, data);
}

/** The library: a workspace opened once, whose tools answer with typed values instead of text. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { openCompass } from "../compose/compose.ts";
import { openProject } from "../compose/open-project.ts";
import { dataHome } from "../config/data-home.ts";
import { loadConfig } from "../config/load.ts";
import { version } from "../config/manifest.ts";
import { toolSettings } from "../config/schema.ts";
import { CompassError, type ErrorCode } from "../model/errors.ts";
import type { CallContext } from "../tools/define.ts";
import { findTool } from "../tools/index.ts";
import { runTool } from "../tools/run.ts";
import type { ToolTypes } from "./tool-types.js";

export interface WorkspaceOptions {
  /** Where indexes are stored. Default: `CODECOMPASS_HOME`, or `~/.codecompass`. */
  readonly home?: string;
  /** Keep the index fresh in the background while the workspace is open. Default: check before every answer. */
  readonly watch?: boolean;
}

export type { ToolTypes };
export type ToolName = keyof ToolTypes;
export type Input<Tool extends ToolName> = Omit<ToolTypes[Tool]["input"], "workspace" | "format">;
export type Answer<Tool extends ToolName> = ToolTypes[Tool]["answer"];

/** Every method is a tool of the MCP server; options and answers are those of `docs/tools.md`. */
export interface WorkspaceHandle extends AsyncDisposable {
  /** The directory that is indexed: the root of the repository, if the opened directory lies in one. */
  readonly root: string;
  search(query: string, options?: Omit<Input<"search_code">, "query">): Promise<Answer<"search_code">>;
  locate(name: string, options?: Omit<Input<"locate_symbol">, "name">): Promise<Answer<"locate_symbol">>;
  references(
    symbol: string,
    options?: Omit<Input<"find_references">, "symbol_name">,
  ): Promise<Answer<"find_references">>;
  context(query: string, options?: Omit<Input<"get_code_context">, "query">): Promise<Answer<"get_code_context">>;
  diff(options?: Input<"diff_context">): Promise<Answer<"diff_context">>;
  /** Any other tool by its name. Throws a `CompassError` where the tool refuses. */
  call<Tool extends ToolName>(tool: Tool, input: Input<Tool>, signal?: AbortSignal): Promise<Answer<Tool>>;
  close(): Promise<void>;
}

/** Opens the workspace of a directory. Nothing is indexed before the first question. */
export async function open(path: string, { home, watch = false }: WorkspaceOptions = {}): Promise<WorkspaceHandle> {
  const directory = resolve(path);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CompassError("invalid_input", { reason: `${directory} is not a directory` });
  }
  const env = { ...process.env, ...(home !== undefined && { CODECOMPASS_HOME: home }) };
  const { config } = loadConfig({ workspace: directory, env });
  const compass = await openCompass({
    home: dataHome(env),
    workspaces: [],
    defaultWorkspace: directory,
    settings: config,
    watch,
  });
  const project = await openProject(compass, directory).catch(async (error) => {
    await compass.close();
    throw error;
  });
  const context: CallContext = { compass, settings: toolSettings(config), version: version() };

  async function call<Tool extends ToolName>(
    name: Tool,
    input: Input<Tool>,
    signal?: AbortSignal,
  ): Promise<Answer<Tool>> {
    const tool = findTool(name);
    if (tool === undefined) throw new CompassError("invalid_input", { reason: `there is no tool ${name}` });
    const given: Readonly<Record<string, unknown>> = input;
    const options = signal === undefined ? {} : { signal };
    if (tool.source === "view") {
      const ref = typeof given.ref === "string" ? { ref: given.ref } : {};
      await compass.freshen(project, { orStale: true, ...ref, ...options });
    }
    let bug: unknown;
    const reply = await runTool(
      tool,
      { ...given, workspace: project.root },
      { ...context, ...options },
      {
        onBug: (error) => {
          bug = error;
        },
      },
    );
    if (bug !== undefined) throw bug;
    if (!reply.isError) return reply.body as Answer<Tool>;
    const { code, data } = reply.body.error as { code: ErrorCode; data: Readonly<Record<string, unknown>> };
    throw new CompassError(code, data);
  }

  const close = () => compass.close();
  return {
    root: project.root,
    search: (query, options) => call("search_code", { ...options, query }),
    locate: (name, options) => call("locate_symbol", { ...options, name }),
    references: (symbol, options) => call("find_references", { ...options, symbol_name: symbol }),
    context: (query, options) => call("get_code_context", { ...options, query }),
    diff: (options = {}) => call("diff_context", options),
    call,
    close,
    [Symbol.asyncDispose]: close,
  };
}

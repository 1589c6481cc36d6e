/**
 * Plain tool calls of the older era, answered without the SDK: loading it takes twice as long as starting Node, and each
 * call through it half a millisecond. The answers are the SDK's, word for word (a contract test compares them); whatever
 * is unusual about a call is left to the SDK.
 */
import { findTool } from "../tools/index.ts";
import { asksForJobReports, callTool, type ServerOptions, toResult } from "./call.ts";
import { isObject, type RpcRequest } from "./message.ts";
import type { Notify } from "./progress.ts";

export interface DirectOptions extends ServerOptions {
  readonly send: (message: object) => void;
  /** The handshake that opened this connection. */
  readonly handshake: RpcRequest;
}

/** Answers the call, or undefined where the SDK has to. Nothing is sent for a call that was cancelled. */
export type DirectHandler = (request: RpcRequest, signal: AbortSignal) => Promise<void> | undefined;

export function directCalls(options: DirectOptions): DirectHandler {
  const jobReports = asksForJobReports(options.handshake.params?.capabilities);
  const notify: Notify = ({ method, params }) => options.send({ method, params, jsonrpc: "2.0" });
  return (request, signal) => {
    const call = parsePlainCall(request);
    const tool = call && findTool(call.name, options.profile, options.callers);
    // A refusal that is a protocol error is worded by the SDK.
    if (tool === undefined || tool.failsAs === "protocol_error") return undefined;
    const { progressToken, given } = call!;
    return callTool(tool, given, { signal, notify, progressToken, jobReports }, options).then((reply) => {
      if (!signal.aborted) options.send({ result: toResult(reply), jsonrpc: "2.0", id: request.id });
    });
  };
}

interface PlainCall {
  readonly name: string;
  readonly given: unknown;
  readonly progressToken?: string | number | undefined;
}

const KNOWN_PARAMS = new Set(["name", "arguments", "_meta"]);
const NEW_ERA = "io.modelcontextprotocol/";

function parsePlainCall({ params = {} }: RpcRequest): PlainCall | undefined {
  const { name, arguments: given, _meta: meta = {} } = params;
  if (typeof name !== "string" || !(given === undefined || isObject(given)) || !isObject(meta)) return undefined;
  if (!Object.keys(params).every((key) => KNOWN_PARAMS.has(key))) return undefined;
  if (Object.keys(meta).some((key) => key.startsWith(NEW_ERA))) return undefined;
  return { name, given, progressToken: meta.progressToken as PlainCall["progressToken"] };
}

/** One POST of the older era, answered by a server of the SDK that lives as long as the exchange. */
import type { JSONRPCMessage, Server, Transport } from "@modelcontextprotocol/server";
import type { RpcId, RpcRequest } from "../message.ts";
import { tidyError } from "../tidy.ts";
import type { HttpReply } from "./reply.ts";

export interface LegacyExchange {
  readonly server: Server;
  readonly reply: HttpReply;
  /** The client went away, or took its request back. */
  readonly signal: AbortSignal;
}

/** What came in one body. */
export interface RequestBatch {
  readonly requests: readonly RpcRequest[];
  /** Answers to members of a batch that are no messages; undefined: it is no batch. */
  readonly refused?: readonly object[];
}

/** Ends when every request is answered or the signal says that nobody waits. */
export async function serveLegacy(
  { requests, refused }: RequestBatch,
  { server, reply, signal }: LegacyExchange,
): Promise<void> {
  const waiting = new Set<RpcId>(requests.map(({ id }) => id));
  const replies: object[] = [...(refused ?? [])];
  const done = Promise.withResolvers<void>();
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      if ("method" in message) reply.notify(message);
      else if (message.id !== undefined && message.id !== null && waiting.delete(message.id)) {
        replies.push(tidyError(message));
        if (waiting.size === 0) done.resolve();
      }
    },
  };
  const leave = () => done.resolve();
  signal.addEventListener("abort", leave, { once: true });
  await server.connect(transport);
  for (const request of requests) transport.onmessage?.(request as JSONRPCMessage);
  if (waiting.size === 0) done.resolve();
  await done.promise;
  signal.removeEventListener("abort", leave);
  if (waiting.size === 0) reply.end(refused === undefined ? replies[0]! : replies);
  // Closing aborts what still runs.
  await server.close();
}

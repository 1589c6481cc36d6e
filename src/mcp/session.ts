/** One connection served by the SDK. Loaded only when a message needs it. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { RpcNotification, RpcRequest } from "./message.ts";
import { createServer, type ServerOptions } from "./server.ts";

export interface SessionOptions extends ServerOptions {
  readonly send: (message: object) => void;
  /** A handshake that was already answered: it is replayed to the SDK, whose answer is dropped. */
  readonly replay?: RpcRequest;
}

export interface SdkSession {
  receive(message: RpcRequest | RpcNotification): void;
  close(): Promise<void>;
}

export function openSession(options: SessionOptions): SdkSession {
  const { replay } = options;
  let unanswered = replay?.id;
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      if (unanswered !== undefined && "id" in message && message.id === unanswered && !("method" in message)) {
        unanswered = undefined;
        return;
      }
      options.send(message);
    },
  };
  const handle = serveStdio(() => createServer(options), {
    transport,
    onerror: (error) => options.log(error.message),
  });
  const receive = (message: RpcRequest | RpcNotification) => transport.onmessage?.(message as JSONRPCMessage);
  if (replay !== undefined) receive(replay);
  return { receive, close: () => handle.close() };
}

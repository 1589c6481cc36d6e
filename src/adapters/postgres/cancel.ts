/** Asks the server to stop what one connection runs, over a connection of its own, as the protocol has it. */
import { connect } from "node:net";
import type { Address } from "./address.ts";

/** What the server told the connection when it was opened. */
interface Backend {
  readonly processID?: number | null;
  readonly secretKey?: number | null;
}

const CANCEL_CODE = 80_877_102;

/** Resolves when the server has taken note or cannot be reached; the caller's own question then ends by itself. */
export function cancelRunning(address: Address, backend: Backend): Promise<void> {
  const { processID, secretKey } = backend;
  if (typeof processID !== "number" || typeof secretKey !== "number") return Promise.resolve();
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(CANCEL_CODE, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  return new Promise((resolve) => {
    const { host, port } = address;
    const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.once("connect", () => socket.end(request));
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
  });
}

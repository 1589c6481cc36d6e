/** A TCP proxy that can be paused, so that connections stay open but no data passes, or refuse connections. */
import { connect, createServer, type Socket } from "node:net";

export interface Gateway {
  readonly port: number;
  /** No data passes any more. */
  hold(): void;
  /** No data passes over the connections that are open; new ones work. */
  holdOpen(): void;
  /** Closes all connections, and each new one at once. */
  refuse(): void;
  accept(): void;
  /** New connections that were refused. */
  readonly refused: () => number;
  close(): Promise<void>;
}

export async function openGateway(port: number): Promise<Gateway> {
  const open = new Set<Socket>();
  let [isHeld, refuses, refused] = [false, false, 0];
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (refuses) {
      refused++;
      near.destroy();
      return;
    }
    const far = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      if (isHeld) from.pause();
      else from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const holdOpen = () => {
    for (const socket of open) socket.unpipe().pause();
  };
  const destroyOpen = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    hold: () => {
      isHeld = true;
      holdOpen();
    },
    holdOpen,
    refuse: () => {
      refuses = true;
      destroyOpen();
    },
    accept: () => {
      refuses = false;
    },
    refused: () => refused,
    close: async () => {
      destroyOpen();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

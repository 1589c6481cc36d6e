/** A TCP proxy that can be paused: connections stay open, but no data passes. */
import { connect, createServer, type Socket } from "node:net";

export interface Gateway {
  readonly port: number;
  hold(): void;
  close(): Promise<void>;
}

export async function openGateway(port: number): Promise<Gateway> {
  const open = new Set<Socket>();
  let isHeld = false;
  const server = createServer({ allowHalfOpen: true }, (near) => {
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
  return {
    port: (server.address() as { port: number }).port,
    hold: () => {
      isHeld = true;
      for (const socket of open) socket.unpipe().pause();
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `serve-mcp --transport http`: the flags that only HTTP has, and where it says that it listens. */

import type { AddressInfo } from "node:net";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { type HttpOptions, serveHttp } from "../mcp/http/serve.ts";
import { surviveBugs } from "../mcp/lifetime.ts";
import { rateLimited } from "../mcp/log.ts";
import { CompassError } from "../model/errors.ts";
import type { Call } from "./command.ts";

type Given = Pick<HttpOptions, "open" | "settings" | "profile" | "version" | "signal" | "prewarm">;

export async function serveOverHttp(call: Call, given: Given): Promise<void> {
  const { flags, env, terminal } = call;
  const log = rateLimited(terminal.err, () => performance.now());
  const token = (flags.token as string | undefined) ?? env.CODECOMPASS_TOKEN;
  if (flags.token === "") throw new CompassError("invalid_input", { reason: "--token must not be empty" });
  surviveBugs(log);
  boundYoungGarbage();
  await serveHttp({
    ...given,
    bind: String(flags.bind),
    port: portOf(String(flags.port)),
    ...(token && { token }),
    allowedHosts: (flags.allowedHost as readonly string[] | undefined) ?? [],
    log,
    onListening: (address) => terminal.err(`codecompass: listening on ${urlOf(address)}\n`),
  });
}

const YOUNG_BYTES = 32 << 20;
const LOOK_MS = 1_000;

/**
 * Left alone, V8 lets the garbage of a busy thread grow to 130 MB before it looks at it. The size can only be limited
 * before a process starts, but its growth can be stopped. That holds for all threads: those that start later begin with
 * enough, and the readers are busy, and so full-grown, before this one is.
 */
function boundYoungGarbage(): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (young === undefined || young.space_size < YOUNG_BYTES) return;
    clearInterval(timer);
    setFlagsFromString("--min-semi-space-size=8");
    setFlagsFromString("--semi-space-growth-factor=1");
  }, LOOK_MS);
  timer.unref();
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CompassError("invalid_input", { parameter: "--port", reason: "--port must be a number from 0 to 65535" });
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}/`;
}

/** `serve-mcp --transport http`: the flags of HTTP only, and the line that reports the address. */

import type { AddressInfo } from "node:net";
import { type HttpOptions, serveHttp } from "../mcp/http/serve.ts";
import { rateLimited, surviveBugs } from "../mcp/process.ts";
import { CompassError } from "../model/errors.ts";
import type { Call } from "./command.ts";

interface HttpServing
  extends Pick<
    HttpOptions,
    "open" | "settings" | "surface" | "version" | "signal" | "prewarm" | "principals" | "page"
  > {
  /** Instead of the line that reports the address. */
  readonly onReady?: (url: string) => void;
}

export async function serveOverHttp(call: Call, given: HttpServing): Promise<void> {
  const { flags, env, terminal } = call;
  const log = rateLimited(terminal.err, () => performance.now());
  const token = (flags.token as string | undefined) ?? env.CODECOMPASS_TOKEN;
  for (const flag of ["token", "metricsToken"])
    if (flags[flag] === "") throw new CompassError("invalid_input", { reason: "a token must not be empty" });
  if (token && given.principals !== undefined) {
    const reason =
      "with --access principals everybody has a token of their own; leave out --token and CODECOMPASS_TOKEN";
    throw new CompassError("invalid_input", { parameter: "--token", reason });
  }
  const metricsToken = (flags.metricsToken as string | undefined) ?? env.CODECOMPASS_METRICS_TOKEN;
  surviveBugs(log);
  await serveHttp({
    ...given,
    bind: String(flags.bind),
    port: parsePort(String(flags.port)),
    ...(token && { token }),
    ...(metricsToken && { metricsToken }),
    allowedHosts: (flags.allowedHost as readonly string[] | undefined) ?? [],
    log,
    onListening: (address) => {
      const url = serverUrl(address);
      if (given.onReady !== undefined) given.onReady(url);
      else terminal.err(`codecompass: listening on ${url}\n`);
    },
  });
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CompassError("invalid_input", { parameter: "--port", reason: "--port must be a number from 0 to 65535" });
}

function serverUrl({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}/`;
}

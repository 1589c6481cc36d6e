/** When a question to several workspaces gives up waiting for the last of them. */
import type { Env } from "../../ports/env.ts";

export const WIDE_DEADLINE_MS = 5_000;

/** Ends with the caller's own signal, or when the time is over. */
export function timeLimit(env: Env, ms: number, signal: AbortSignal | undefined): AbortSignal {
  const controller = new AbortController();
  const end = () => controller.abort(signal?.aborted ? signal.reason : undefined);
  void env.sleep(ms).then(end);
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted) end();
  return controller.signal;
}

/** The body of a request, up to a limit: one byte more and nothing of it is kept. */
import type { IncomingMessage } from "node:http";

const MAX_BODY_BYTES = 4 * 1024 * 1024;

export type Body = { readonly text: string } | { readonly problem: "too_large" | "aborted" };

/** Whether the announced length alone is too much. */
export function isTooLarge({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"]) > MAX_BODY_BYTES;
}

export async function readBody(request: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = [];
  let held = 0;
  return new Promise((resolve) => {
    request.on("data", (part: Buffer) => {
      held += part.length;
      if (held > MAX_BODY_BYTES) {
        request.removeAllListeners("data");
        parts.length = 0;
        resolve({ problem: "too_large" });
      } else parts.push(part);
    });
    request.on("end", () => resolve({ text: Buffer.concat(parts).toString("utf8") }));
    request.on("error", () => resolve({ problem: "aborted" }));
    request.on("close", () => resolve({ problem: "aborted" }));
  });
}

/** `application/json`, whatever its parameters; a browser cannot send it to a stranger without asking first. */
export function isJson(request: IncomingMessage): boolean {
  const encoded = (request.headers["content-encoding"] ?? "identity") !== "identity";
  return !encoded && /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "");
}

/** The body of a request, up to a limit for each and one for all: one byte more and nothing of it is kept. */
import type { IncomingMessage } from "node:http";

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Of all bodies that are on their way: questions have a few hundred bytes, so that is room for more than may ask. */
const MAX_HELD_BYTES = 16 * MAX_BODY_BYTES;

export type Body = { readonly text: string } | { readonly problem: "tooLarge" | "crowded" | "aborted" };

/** Whether the announced length alone is too much. */
export function isTooLarge({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"]) > MAX_BODY_BYTES;
}

/** `bodies`: what all that are being read hold together. */
export async function readBody(request: IncomingMessage, bodies: { held: number }): Promise<Body> {
  const parts: Buffer[] = [];
  let held = 0;
  const read = new Promise<Body>((resolve) => {
    const giveUp = (problem: "tooLarge" | "crowded" | "aborted") => {
      request.removeAllListeners("data");
      parts.length = 0;
      resolve({ problem });
    };
    request.on("data", (part: Buffer) => {
      held += part.length;
      bodies.held += part.length;
      if (held > MAX_BODY_BYTES) giveUp("tooLarge");
      else if (bodies.held > MAX_HELD_BYTES) giveUp("crowded");
      else parts.push(part);
    });
    request.on("end", () => resolve({ text: Buffer.concat(parts).toString("utf8") }));
    request.on("error", () => giveUp("aborted"));
    request.on("close", () => giveUp("aborted"));
  });
  return read.finally(() => {
    bodies.held -= held;
  });
}

/** `application/json`, whatever its parameters; a browser cannot send it to a stranger without asking first. */
export function isJson(request: IncomingMessage): boolean {
  const encoded = (request.headers["content-encoding"] ?? "identity") !== "identity";
  return !encoded && /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "");
}

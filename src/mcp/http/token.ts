/** The bearer token, compared in a time that says nothing about it. It is never logged and never sent back. */
import { createHash, timingSafeEqual } from "node:crypto";

export type TokenCheck = (header: string | undefined) => boolean;

/** Whether an Authorization header carries the token; without a token everybody may pass. */
export function tokenCheck(token: string | undefined): TokenCheck {
  if (token === undefined) return () => true;
  const wanted = digest(token);
  return (header) => {
    const given = bearerToken(header);
    // Also compared when absent, and by digest, so that neither its presence nor its length shows.
    return timingSafeEqual(digest(given ?? ""), wanted) && given !== undefined;
  };
}

/** What an Authorization header carries. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

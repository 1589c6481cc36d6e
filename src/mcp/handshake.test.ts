import { expect, test } from "vitest";
import { INSTRUCTIONS } from "./handshake.ts";

test("instructions fit every client, and their head stands alone", () => {
  expect(Buffer.byteLength(INSTRUCTIONS)).toBeLessThan(2_048);
  const head = INSTRUCTIONS.slice(0, 250);
  for (const word of ["search_code", "locate_symbol", "get_file_outline", "grep"]) expect(head).toContain(word);
});

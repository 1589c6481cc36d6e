import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openBuiltIn } from "./built-in.ts";

const folder = mkdtempSync(join(tmpdir(), "model-"));
afterAll(() => rmSync(folder, { recursive: true }));

const TEXTS = [
  "how does the retry policy back off",
  "fn parse_header(bytes: &[u8]) -> Result<Header, ParseError> { let HTTPVersion = bytes[0]; }",
  "class ConnectionPool:\n    def acquire(self, timeoutMs=5000): ...",
  "日本語 и кириллица",
  "",
];

const shown = (values: Iterable<number>) => [...values].map((value) => value.toFixed(4)).join(" ");

/** The shipped weights and the arithmetic on them: whoever changes either changes every stored vector. */
test("golden vectors", async () => {
  const { model, query, encode } = openBuiltIn();
  const lines = [`${model.name} ${model.dims} ${model.fingerprint}`];
  for (const text of TEXTS) {
    const asked = await query(text);
    const { rows, scales } = encode([{ text, path: "src/net/http_client.rs" }]);
    lines.push("", JSON.stringify(text));
    lines.push(`query    ${asked === undefined ? "none" : shown(asked.subarray(0, 12))}`);
    lines.push(`document ${rows.slice(0, 24).join(" ")} × ${scales[0]!.toPrecision(6)}`);
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../../../test/golden/vectors.golden.txt");
});

test("a question is closer to what it is about", async () => {
  const { query, encode } = openBuiltIn();
  const asked = (await query("limit how many requests a client may send"))!;
  const { rows, scales, dims } = encode([
    { text: "class RateLimiter { allow(client) { return this.requests.get(client) < this.max } }" },
    { text: "function drawTriangle(canvas, points, colour) { canvas.fill(points, colour) }" },
  ]);
  const likeness = [0, 1].map((row) => asked.reduce((sum, q, i) => sum + q * rows[row * dims + i]!, 0) * scales[row]!);
  expect(likeness[0]).toBeGreaterThan(likeness[1]! + 0.1);
});

test("a missing or damaged file is refused", () => {
  const broken = join(folder, "broken.bin");
  writeFileSync(broken, "CCSE but not really");
  expect(() => openBuiltIn(broken)).toThrow(/cut short/);
  expect(() => openBuiltIn(join(folder, "none.bin"))).toThrow(/ENOENT/);
});

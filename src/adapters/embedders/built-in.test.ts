import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { countWords } from "../../text/terms.ts";
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

/** The shipped weights and the arithmetic on them: changing either changes every stored vector. */
test("golden vectors", async () => {
  const { model, query, documents } = openBuiltIn();
  const lines = [`${model.name} ${model.dims} ${model.fingerprint}`];
  for (const text of TEXTS) {
    const asked = await query(text);
    const { rows, scales } = await documents([{ text, path: "src/net/http_client.rs" }]);
    lines.push("", JSON.stringify(text));
    lines.push(`query    ${asked === undefined ? "none" : shown(asked.subarray(0, 12))}`);
    lines.push(`document ${rows.slice(0, 24).join(" ")} × ${scales[0]!.toPrecision(6)}`);
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../../../test/golden/vectors.golden.txt");
});

test("a question is closer to what it is about", async () => {
  const { query, documents } = openBuiltIn();
  const asked = (await query("limit how many requests a client may send"))!;
  const { rows, scales, dims } = await documents([
    { text: "class RateLimiter { allow(client) { return this.requests.get(client) < this.max } }" },
    { text: "function drawTriangle(canvas, points, colour) { canvas.fill(points, colour) }" },
  ]);
  const similarity = [0, 1].map(
    (row) => asked.reduce((sum, q, i) => sum + q * rows[row * dims + i]!, 0) * scales[row]!,
  );
  expect(similarity[0]).toBeGreaterThan(similarity[1]! + 0.1);
});

test("words that were counted have the vectors of their text", async () => {
  const [first, second] = [openBuiltIn(), openBuiltIn()];
  const path = "src/net/http_client.rs";
  const texts = [...TEXTS, `${TEXTS[1]} naïve_HTTPVersion x${"y".repeat(300)}Header`, TEXTS.join("\n").repeat(3)];
  const expected = await first.documents(texts.map((text) => ({ text: `${text}\nacquire parse\nnet http`, path })));
  // What one model has noted of a word says nothing to another.
  for (const { encode } of [first, second, first]) {
    const parts = (text: string) => [text, "acquire parse", "net http"].map((text) => countWords(text));
    expect(encode(texts.map((text) => ({ parts: parts(text), path })))).toEqual(expected);
  }
});

test("a missing or damaged file is refused", () => {
  const broken = join(folder, "broken.bin");
  writeFileSync(broken, "CCSE but not really");
  expect(() => openBuiltIn(broken)).toThrow(/cut short/);
  expect(() => openBuiltIn(join(folder, "none.bin"))).toThrow(/ENOENT/);
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { openEndpoint } from "./endpoint.ts";

let server: Server | undefined;
afterEach(() => new Promise((done) => server?.close(done) ?? done(undefined)));

interface Asked {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: { model: string; input: string[] };
}

/** A server that answers as told, on a port of its own. */
async function serve(
  answer: (asked: Asked) => { status?: number; body: unknown },
): Promise<{ base: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  server = createServer(async (request, response) => {
    const one = {
      url: request.url!,
      authorization: request.headers.authorization,
      body: JSON.parse(await text(request)),
    };
    asked.push(one);
    const { status = 200, body } = answer(one);
    response.writeHead(status, { "content-type": "application/json", location: "/elsewhere" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((ready) => server!.listen(0, "127.0.0.1", ready));
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

/** Length of the text and a constant, last one first: order must come from `index`. */
const byLength = ({ body }: Asked) => ({
  body: { data: body.input.map((text, index) => ({ index, embedding: [text.length, 1, 0] })).reverse() },
});
const open = (endpoint: string, model = "small", apiKey?: string) =>
  openEndpoint({ endpoint, model, apiKey, hash: (text) => text });

test("asks the endpoint for the model's vectors, in batches, in order, with the key", async () => {
  const { base, asked } = await serve(byLength);
  const { model, documents, query } = await open(`${base}/`, "small", "secret");
  expect(model).toMatchObject({ name: "small", dims: 3 });
  expect(model.fingerprint).not.toContain("secret");
  const passages = Array.from({ length: 70 }, (_, i) => ({ text: "x".repeat(i), path: "p" }));
  const { rows, scales } = await documents(passages);
  expect(scales).toHaveLength(70);
  expect(rows[0 * 3 + 1]! / rows[0 * 3]!).toBeCloseTo(1 / 2, 1);
  expect(rows[69 * 3 + 1]! / rows[69 * 3]!).toBeCloseTo(1 / 71, 1);
  const unit = (await query("abcd"))!;
  expect(Math.hypot(...unit)).toBeCloseTo(1);
  expect(asked.map(({ body }) => body.input.length)).toEqual([1, 64, 6, 1]);
  expect(new Set(asked.map(({ url }) => url))).toEqual(new Set(["/v1/embeddings"]));
  expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer secret"]));
});

test("another model or another server makes other vectors", async () => {
  const { base } = await serve(byLength);
  const [one, two] = [await open(base, "small"), await open(base, "large")];
  expect(one.model.fingerprint).not.toBe(two.model.fingerprint);
});

describe("what is no answer is an error without the key in it", () => {
  const check = (what: string, answer: () => { status?: number; body: unknown }, why: RegExp) =>
    test(what, async () => {
      const { base } = await serve(answer);
      const failure = await open(base, "small", "secret").catch((error: Error) => error);
      expect(failure).toBeInstanceOf(Error);
      expect(String(failure)).toMatch(why);
      expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain("secret");
    });

  check("refused", () => ({ status: 401, body: { error: "no" } }), /answered 401/);
  check("redirected", () => ({ status: 302, body: "" }), /does not answer/);
  check("not JSON", () => ({ body: "<html>" }), /not one vector/);
  check("too few", () => ({ body: { data: [] } }), /not one vector/);
  check("no numbers", () => ({ body: { data: [{ index: 0, embedding: ["a"] }] } }), /no vector/);
  check("empty", () => ({ body: { data: [{ index: 0, embedding: [] }] } }), /empty vector/);
});

test("an endpoint that is down, and an invalid address", async () => {
  const { base } = await serve(byLength);
  await new Promise((done) => server!.close(done));
  server = undefined;
  await expect(open(base)).rejects.toThrow(/does not answer: ECONNREFUSED/);
  await expect(open("file:///etc/passwd")).rejects.toThrow(/http/);
});

test("a vector of other dimensions later is refused", async () => {
  let first = true;
  const { base } = await serve(({ body }) => {
    const embedding = first ? [1, 2, 3] : [1, 2];
    first = false;
    return { body: { data: body.input.map((_, index) => ({ index, embedding })) } };
  });
  const { documents } = await open(base);
  await expect(documents([{ text: "x" }])).rejects.toThrow(/2 dimensions, not 3/);
});

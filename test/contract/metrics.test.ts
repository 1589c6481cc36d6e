/** `GET /metrics`: counts, histograms and gauges in the text format of Prometheus, for the operator only. */
import { expect, test } from "vitest";
import { CompassError } from "../../src/model/errors.ts";
import { fakeCompass } from "../kit/fake-compass.ts";
import { serveForTest } from "../kit/http.ts";

const METRICS = { path: "/metrics" };
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** Samples by name and labels; every line is a comment or a sample. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.trimEnd().split("\n");
  expect(lines.filter((line) => !/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? \S+)$/.test(line))).toEqual([]);
  const samples = lines.filter((line) => !line.startsWith("#")).map((line) => line.split(/ (?=\S+$)/));
  return new Map(samples.map(([name, value]) => [name!.replace("codecompass_", ""), Number(value)]));
}

test("requests and tool calls are counted by result and duration", async () => {
  const server = await serveForTest();
  await server.tool("search_code", { query: "a" });
  await server.tool("search_code", { query: " " });
  await server.send({ path: "/nope" });
  const { status, headers, text } = await server.send(METRICS);
  expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  const samples = samplesOf(text);
  expect(samples.get('http_requests_total{status="200"}')).toBe(2);
  expect(samples.get('http_requests_total{status="404"}')).toBe(1);
  expect(samples.get("http_request_duration_seconds_count")).toBe(3);
  expect(samples.get('tool_calls_total{tool="search_code",outcome="error"}')).toBe(1);
  expect(samples.get('tool_duration_seconds_count{tool="search_code"}')).toBe(2);
  expect(samples.get('tool_duration_seconds_bucket{tool="search_code",le="+Inf"}')).toBe(2);
  expect(samples.get("http_connections")).toBeGreaterThan(0);
  expect(samples.get("ingest_lag_seconds")).toBe(90);
  for (const name of ["cache_hits_total", "store_connections", "store_connections_in_use", "store_statements_total"])
    expect([name, samples.has(name)]).toEqual([name, true]);
});

test("an unreachable store takes nothing but its own figure away", async () => {
  const lost = new CompassError("internal_error", { reason: "the store cannot be reached" });
  const server = await serveForTest({ ...fakeCompass(), ingestLagMs: () => Promise.reject(lost) });
  const { status, text } = await server.send(METRICS);
  const samples = samplesOf(text);
  expect([status, samples.has("ingest_lag_seconds"), samples.has("uptime_seconds")]).toEqual([200, false, true]);
});

test("only the operator reads them", async () => {
  const open = await serveForTest();
  expect((await open.send({ ...METRICS, headers: { host: "evil.example" } })).status).toBe(403);
  expect((await open.send({ ...METRICS, method: "POST" })).headers.allow).toBe("GET");

  const one = await serveForTest(fakeCompass(), { token: "one" });
  expect((await one.send(METRICS)).status).toBe(401);
  expect((await one.send({ ...METRICS, ...bearer("one") })).status).toBe(200);

  const own = await serveForTest(fakeCompass(), { token: "one", metricsToken: "own" });
  expect((await own.send({ ...METRICS, ...bearer("one") })).status).toBe(401);
  expect((await own.send({ ...METRICS, ...bearer("own") })).status).toBe(200);
  expect((await own.post({ jsonrpc: "2.0", id: 1, method: "ping" }, bearer("own").headers)).status).toBe(401);
});

test("a principal's token shows no metrics, which tell what others do", async () => {
  const team = { name: "team", run: <T>(work: () => Promise<T>) => work() };
  const principals = {
    authenticate: async (token: string) => (token === "team" ? team : undefined),
    current: () => "team",
    close: async () => {},
  };
  const without = await serveForTest(fakeCompass(), { principals });
  expect((await without.send({ ...METRICS, ...bearer("team") })).status).toBe(404);
  const server = await serveForTest(fakeCompass(), { principals, metricsToken: "own" });
  expect((await server.send({ ...METRICS, ...bearer("team") })).status).toBe(401);
  expect((await server.send({ ...METRICS, ...bearer("own") })).status).toBe(200);
});

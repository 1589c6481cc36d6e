/** The client side of the load: many connections, each sending its next request as soon as it has a response. */
import { Connection } from "./connection.ts";

export interface LoadWork {
  readonly port: number;
  readonly connections: number;
  readonly seed: number;
  /** One of the two. */
  readonly seconds?: number;
  readonly requests?: number;
}

export interface LoadReport {
  readonly requests: number;
  readonly errors: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  /** 95th percentile of `/health`, requested every 100 ms meanwhile. */
  readonly health: number;
}

type Ask = readonly [tool: string, input: object];

const HEALTH_EVERY_MS = 100;

process.on("message", async (work: LoadWork) => {
  process.send!(await report(work));
  process.exit(0);
});

async function report(work: LoadWork): Promise<LoadReport> {
  const asks = questions(await material(work.port), work.seed);
  const times: number[] = [];
  let errors = 0;
  let begun = 0;
  const started = performance.now();
  const goesOn = () =>
    work.requests === undefined ? performance.now() - started < work.seconds! * 1000 : begun < work.requests;
  const connection = async () => {
    const to = new Connection(work.port);
    while (goesOn()) {
      begun++;
      const [tool, input] = asks();
      const from = performance.now();
      const { status, body } = await to.post(question(tool, input));
      times.push(performance.now() - from);
      if (status !== 200 || body.includes('"isError":true')) errors++;
    }
    to.close();
  };
  const health = watchHealth(work.port);
  await Promise.all(Array.from({ length: work.connections }, connection));
  const seconds = (performance.now() - started) / 1000;
  const byTime = times.sort((a, b) => a - b);
  return {
    requests: times.length,
    errors,
    perSecond: times.length / seconds,
    p50: byTime[Math.floor(times.length * 0.5)]!,
    p95: byTime[Math.floor(times.length * 0.95)]!,
    health: health(),
  };
}

/** Returns a function that stops the probes and returns the 95th percentile. */
function watchHealth(port: number): () => number {
  const times: number[] = [];
  const timer = setInterval(async () => {
    const from = performance.now();
    // A new connection each time, as probes do, so that a waiting probe does not delay the next.
    const to = new Connection(port);
    await to.get("/health");
    times.push(performance.now() - from);
    to.close();
  }, HEALTH_EVERY_MS);
  return () => {
    clearInterval(timer);
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
  };
}

interface Material {
  readonly paths: readonly string[];
  readonly names: readonly string[];
}

/** Paths and names of the corpus, read from the server itself. */
async function material(port: number): Promise<Material> {
  const to = new Connection(port);
  const ask = async (tool: string, input: object) =>
    JSON.parse(String((await to.post(question(tool, input))).body)).result.structuredContent;
  const paths = new Set<string>();
  const names = new Set<string>();
  for (const query of ["parse", "server", "test", "error", "config", "string", "open", "index", "value", "handle"]) {
    for (const hit of (await ask("search_code", { query, limit: 50 })).results) paths.add(hit.path);
  }
  for (const path of paths) {
    const { symbols = [] } = await ask("get_file_outline", { path });
    for (const { name } of symbols) if (/^\w{3,}$/.test(name)) names.add(name);
  }
  to.close();
  return { paths: [...paths].sort(), names: [...names].sort() };
}

/** A mix of agents' requests: 40 % searches (half of them sentences), 30 % names, 25 % outlines, 5 % status. */
function questions({ paths, names }: Material, seed: number): () => Ask {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)]!;
  const words = (name: string) => name.replace(/_/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2");
  return () => {
    const kind = random();
    if (kind < 0.2) return ["search_code", { query: `how is the ${words(pick(names))} of ${words(pick(names))} done` }];
    if (kind < 0.4) return ["search_code", { query: pick(names) }];
    if (kind < 0.7) return ["locate_symbol", { name: pick(names) }];
    return kind < 0.95 ? ["get_file_outline", { path: pick(paths) }] : ["index_status", {}];
  };
}

function question(name: string, input: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } });
}

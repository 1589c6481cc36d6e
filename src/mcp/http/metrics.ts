/** `GET /metrics`: what an operator watches, in the text format of Prometheus. Labels never name a repository or a query. */
import { type Counter, readCounter } from "../../model/counters.ts";

/** Seconds. Most answers take 5 to 500 ms. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

class Histogram {
  readonly #counts = new Uint32Array(BUCKETS.length + 1);
  #sum = 0;

  observe(seconds: number): void {
    const bucket = BUCKETS.findIndex((most) => seconds <= most);
    this.#counts[bucket === -1 ? BUCKETS.length : bucket]!++;
    this.#sum += seconds;
  }

  lines(name: string, labels: string): string[] {
    let below = 0;
    const buckets = [...BUCKETS, "+Inf"].map((most, at) => {
      below += this.#counts[at]!;
      return `${name}_bucket{${labels}${labels && ","}le="${most}"} ${below}`;
    });
    const own = labels && `{${labels}}`;
    return [...buckets, `${name}_sum${own} ${this.#sum}`, `${name}_count${own} ${below}`];
  }
}

export type ToolOutcome = "complete" | "partial" | "error";

interface ToolCounts {
  readonly duration: Histogram;
  readonly outcomes: Record<ToolOutcome, number>;
}

export interface Gauges {
  readonly connections: number;
  readonly uptimeSeconds: number;
  readonly residentBytes: number;
  /** Absent without a shared store, and while it cannot be reached. */
  readonly ingestLagSeconds?: number | undefined;
}

export class ServerMetrics {
  readonly #requests = new Map<number, number>();
  readonly #duration = new Histogram();
  readonly #tools = new Map<string, ToolCounts>();

  observeRequest(status: number, ms: number): void {
    this.#requests.set(status, (this.#requests.get(status) ?? 0) + 1);
    this.#duration.observe(ms / 1000);
  }

  /** `tool`: one of ours, so that there are few. */
  observeTool(tool: string, outcome: ToolOutcome, ms: number): void {
    const known = this.#tools.get(tool);
    const counts = known ?? { duration: new Histogram(), outcomes: { complete: 0, partial: 0, error: 0 } };
    if (known === undefined) this.#tools.set(tool, counts);
    counts.outcomes[outcome]++;
    counts.duration.observe(ms / 1000);
  }

  text({ connections, uptimeSeconds, residentBytes, ingestLagSeconds }: Gauges): string {
    const tools = [...this.#tools].sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = [
      ...family("http_requests_total", "counter", "HTTP requests by status.", (name) =>
        [...this.#requests].map(([status, count]) => `${name}{status="${status}"} ${count}`),
      ),
      ...family(
        "http_request_duration_seconds",
        "histogram",
        "From the request's head to the end of its answer.",
        (name) => this.#duration.lines(name, ""),
      ),
      ...family("tool_calls_total", "counter", "Tool calls by outcome.", (name) =>
        tools.flatMap(([tool, { outcomes }]) =>
          Object.entries(outcomes).map(([outcome, count]) => `${name}{tool="${tool}",outcome="${outcome}"} ${count}`),
        ),
      ),
      ...family("tool_duration_seconds", "histogram", "Duration of tool calls.", (name) =>
        tools.flatMap(([tool, { duration }]) => duration.lines(name, `tool="${tool}"`)),
      ),
      ...COUNTERS.flatMap(([name, type, help, counter]) =>
        family(name, type, help, (full) => [`${full} ${readCounter(counter)}`]),
      ),
      ...gauge("http_connections", "Open HTTP connections.", connections),
      ...gauge("uptime_seconds", "Time since the process started.", uptimeSeconds),
      ...gauge("resident_memory_bytes", "Resident memory of the process.", residentBytes),
      ...gauge(
        "ingest_lag_seconds",
        "Time since an ingest into the shared store last ran to its end.",
        ingestLagSeconds,
      ),
    ];
    return `${lines.join("\n")}\n`;
  }
}

const COUNTERS: readonly (readonly [string, "counter" | "gauge", string, Counter])[] = [
  ["cache_hits_total", "counter", "Reads that content caches answered, in all threads.", "cacheHits"],
  ["cache_misses_total", "counter", "Reads that content caches did not answer.", "cacheMisses"],
  ["open_store_hits_total", "counter", "Reads of a repository that a reader thread had open.", "storeHits"],
  ["open_store_misses_total", "counter", "Reads that had to open their repository.", "storeMisses"],
  ["store_connections", "gauge", "Open connections to the shared store.", "connectionsOpen"],
  ["store_connections_in_use", "gauge", "Connections with a statement or transaction.", "connectionsInUse"],
  ["store_connections_refused_total", "counter", "Queries refused because too many waited.", "connectionsRefused"],
  [
    "store_statements_total",
    "counter",
    "Connections taken for a query or transaction of the shared store.",
    "statements",
  ],
];

function gauge(name: string, help: string, value: number | undefined): string[] {
  return value === undefined ? [] : family(name, "gauge", help, (full) => [`${full} ${value}`]);
}

function family(name: string, type: string, help: string, samples: (full: string) => readonly string[]): string[] {
  const full = `codecompass_${name}`;
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...samples(full)];
}

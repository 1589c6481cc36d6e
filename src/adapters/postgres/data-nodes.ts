/**
 * Data nodes: databases that hold the content (`blob`, `segment_part`) of some repositories as foreign partitions of the
 * store's tables (`deploy/postgres/attach-node.sql`). Everything else is in the store itself, so that a publication is one
 * local transaction. A statement reads content of one node at most: a node that does not answer fails the statements that
 * need it, at once while it is known to be out, and no others.
 */
import type { Client } from "pg";
import type { Address } from "./address.ts";
import { loadDriver } from "./driver.ts";
import { failedNode, NodeUnavailable } from "./failures.ts";
import type { Queryable } from "./queryable.ts";

/** A repository on node n has a number from n million on; the store's own begin with 1. */
export const REPOSITORIES_PER_NODE = 1_000_000;

/** 0: the store itself. */
export function nodeOf(repo: number): number {
  return Math.floor(repo / REPOSITORIES_PER_NODE);
}

/** Where content is read from: principals have no right to the tables themselves (`READABLE_CONTENT`). */
export function contentTable({ isGuarded }: Pick<Queryable, "isGuarded">, table: "blob" | "segment_part"): string {
  return isGuarded === true ? `codecompass.readable_${table}` : `codecompass.${table}`;
}

/** As the foreign server is called. */
function nodeName(node: number): string {
  return `node_${node}`;
}

/** A statement that runs for this long has its node probed, then again after twice as long. */
const SLOW_MS = 300;
/** A probe reads nothing. Where the store itself is slow to answer, its node may be slow by the same factor. */
const PROBE_MS = 300;
const TIMES_THE_STORE = 10;
const LONGEST_PROBE_MS = 10_000;
/** A node that is out is probed again after this long. */
const RETRY_MS = 5_000;
/** An answer that was begun without the node may still be under way: it is called missing for a while longer. */
const MISSED_MS = 5_000;

interface Outage {
  /** When the node is probed again. */
  retryAt: number;
  /** When a probe found it back. */
  backAt?: number;
}

export class DataNodes {
  readonly #probe: (node: number) => Promise<boolean>;
  readonly #outages = new Map<number, Outage>();
  readonly #probing = new Map<number, Promise<boolean>>();

  /** `probe`: whether the node answers. */
  constructor(probe: (node: number) => Promise<boolean>) {
    this.#probe = probe;
  }

  /** Names of the nodes that are out, or were when an answer that is still under way was begun. */
  get missing(): readonly string[] {
    const now = performance.now();
    const missing = [...this.#outages].filter(([, { backAt }]) => backAt === undefined || now < backAt + MISSED_MS);
    return missing.map(([node]) => nodeName(node));
  }

  /** Runs a statement that reads from the node. Throws `NodeUnavailable` where the node is out or turns out to be. */
  async run<T>(node: number, statement: () => Promise<T>): Promise<T> {
    if (node === 0) return statement();
    if (this.#isOut(node)) throw new NodeUnavailable(nodeName(node));
    try {
      return await this.#unlessSlow(node, statement());
    } catch (error) {
      if (failedNode(error) === undefined) throw error;
      this.#outages.set(node, { retryAt: performance.now() + RETRY_MS });
      throw error instanceof NodeUnavailable ? error : new NodeUnavailable(nodeName(node), error);
    }
  }

  /** Statements that come while the node is probed again do not wait for the probe. */
  #isOut(node: number): boolean {
    const outage = this.#outages.get(node);
    if (outage === undefined || outage.backAt !== undefined) return false;
    const now = performance.now();
    if (now >= outage.retryAt) {
      outage.retryAt = now + RETRY_MS;
      void this.#answers(node).then((answers) => {
        if (answers) outage.backAt = performance.now();
      });
    }
    return true;
  }

  async #unlessSlow<T>(node: number, answer: Promise<T>): Promise<T> {
    const done = answer.then(yes, yes);
    for (let patienceMs = SLOW_MS; ; patienceMs *= 2) {
      if (await within(patienceMs, done)) return answer;
      if (!(await Promise.race([done, this.#answers(node)]))) throw new NodeUnavailable(nodeName(node));
    }
  }

  /** Statements that wait for the same node share a probe. Where the store itself fails, the node is not to blame. */
  #answers(node: number): Promise<boolean> {
    const probing =
      this.#probing.get(node) ??
      this.#probe(node)
        .catch(yes)
        .finally(() => this.#probing.delete(node));
    this.#probing.set(node, probing);
    return probing;
  }
}

const yes = () => true;

/** Over a connection of its own: those of the pool may all be waiting for the node. */
export async function nodeAnswers(address: Address, node: number): Promise<boolean> {
  const pg = await loadDriver();
  const client: Client = new pg.Client({ connectionString: address.url, application_name: "codecompass probe" });
  client.on("error", () => {});
  try {
    const started = performance.now();
    await client.connect();
    await client.query("SELECT 1");
    const allowedMs = Math.max(PROBE_MS, TIMES_THE_STORE * (performance.now() - started));
    const probe = client.query("SELECT codecompass.probe_node($1)", [node]);
    // Any answer is one, a refusal by the node included.
    const answered = probe.then(yes, (error: unknown) => failedNode(error) === undefined);
    return await within(Math.min(allowedMs, LONGEST_PROBE_MS), answered);
  } finally {
    void client.end().catch(() => {});
  }
}

/** False where no answer comes in time. */
async function within(mostMs: number, answer: Promise<boolean>): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), mostMs);
  return Promise.race([answer, over]).finally(() => clearTimeout(timer));
}

/**
 * Data nodes: databases that hold the content (`blob`, `segment_part`) of some repositories as foreign partitions of the
 * store's tables (`deploy/postgres/attach-node.sql`). Everything else is in the store itself: a publication is one local
 * transaction. A statement reads content of one node at most, so a node that is out fails no others (`engine/outages.ts`).
 */
import { within } from "../../engine/outages.ts";
import type { Address } from "./address.ts";
import { loadDriver } from "./driver.ts";
import { failedNode } from "./failures.ts";
import type { Queryable } from "./queryable.ts";

/** A repository on node n has a number from n million on; the store's own begin with 1. */
export const REPOSITORIES_PER_NODE = 1_000_000;

/** 0: the store itself. */
export function nodeOf(repo: number): number {
  return Math.floor(repo / REPOSITORIES_PER_NODE);
}

/** As the foreign server is called; undefined for the store itself. */
export function nodeName(node: number): string | undefined {
  return node === 0 ? undefined : `node_${node}`;
}

/** Where content is read from: principals have no right to the tables themselves (`READABLE_CONTENT`). */
export function contentTable({ isGuarded }: Pick<Queryable, "isGuarded">, table: "blob" | "segment_part"): string {
  return isGuarded === true ? `codecompass.readable_${table}` : `codecompass.${table}`;
}

/** A probe reads nothing. Where the store itself is slow to answer, its node may be slow by the same factor. */
const PROBE_MS = 300;
const TIMES_THE_STORE = 10;
const LONGEST_PROBE_MS = 10_000;

/** Over a connection of its own: those of the pool may all be waiting for the node. */
export async function nodeAnswers(address: Address, node: string): Promise<boolean> {
  const pg = await loadDriver();
  const client = new pg.Client({ connectionString: address.url, application_name: "codecompass probe" });
  client.on("error", () => {});
  try {
    const started = performance.now();
    await client.connect();
    await client.query("SELECT 1");
    const allowedMs = Math.max(PROBE_MS, TIMES_THE_STORE * (performance.now() - started));
    const probe = client.query("SELECT codecompass.probe_node($1)", [Number(node.replace("node_", ""))]);
    // Any answer is one, a refusal by the node included.
    const answered = probe.then(
      () => true,
      (error: unknown) => failedNode(error) === undefined,
    );
    return await within(Math.min(allowedMs, LONGEST_PROBE_MS), answered);
  } finally {
    void client.end().catch(() => {});
  }
}

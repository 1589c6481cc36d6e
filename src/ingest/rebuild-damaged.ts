/**
 * Rebuilds a damaged index during a normal run. The damage was noted by an earlier query, is found by checking the rows
 * before an explicit run, or is met while building.
 */
import { isDamage } from "../model/errors.ts";
import type { IndexReport } from "../model/jobs.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Finding, Store } from "../ports/store.ts";
import type { IndexRun } from "./run.ts";

export async function buildOrRebuild(
  run: IndexRun,
  build: (run: IndexRun) => Promise<IndexReport>,
): Promise<IndexReport> {
  if (run.resets) return build(run);
  const reason = (await knownDamage(run)) ?? (await buildOrDamage(run, build));
  if (typeof reason !== "string") return reason;
  // If this run is killed, the next one rebuilds at once.
  await run.ports.store.noteDamage(reason);
  return { ...(await build({ ...run, request: wholeTree(run.request), resets: true })), rebuilt: reason };
}

async function buildOrDamage(
  run: IndexRun,
  build: (run: IndexRun) => Promise<IndexReport>,
): Promise<IndexReport | string> {
  try {
    return await build(run);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return String(error.data.reason);
  }
}

async function knownDamage({ request, ports: { store } }: IndexRun): Promise<string | undefined> {
  return request.mode === "full" ? damageReason(store) : notedDamage(store);
}

/** What is wrong with the index: what an earlier question noted, else what a check of its rows finds. */
export async function findDamage(store: Store): Promise<readonly Finding[]> {
  const noted = await notedDamage(store);
  return noted === undefined ? store.verify("rows") : [{ where: "index", what: noted, damage: true }];
}

/** Why the index has to be rebuilt; undefined: it need not. The operator of a shared store decides that with `doctor`. */
export async function damageReason(store: Store): Promise<string | undefined> {
  const finding = (await findDamage(store)).find(({ damage }) => damage);
  return finding && (finding.where === "index" ? finding.what : `${finding.where}: ${finding.what}`);
}

async function notedDamage(store: Store): Promise<string | undefined> {
  try {
    return await store.damage();
  } catch (error) {
    if (isDamage(error)) return String(error.data.reason);
    throw error;
  }
}

/** A rebuild indexes the whole tree, even if the request was about a few files. */
function wholeTree({ paths: _, ...request }: IndexRequest): IndexRequest {
  return { ...request, mode: "full" };
}

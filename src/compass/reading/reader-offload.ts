/** A reading whose questions are answered by another thread. What it knows of itself stays here. */
import type { ProjectId } from "../../model/ids.ts";
import type { SearchAnswer, SearchRequest } from "../../model/search.ts";
import type { Readers, ViewAddress } from "../../ports/readers.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { Found } from "../../query/show.ts";
import type { Reading } from "../compass.ts";
import type { Tree } from "../projects/tree.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { READ_METHODS, READ_POLICIES, type ReadApi, type ReadMethod } from "./read-methods.ts";
import type { SearchHalves } from "./reading.ts";

export interface ReaderOffload {
  readonly readers: Readers<ReadApi> | undefined;
  readonly answers: AnswerCache | undefined;
  readonly tree: Tree;
  readonly storeProject: ProjectId;
  readonly snapshot: Snapshot | undefined;
  readonly signal?: AbortSignal | undefined;
}

type AnyMethod = (...args: readonly unknown[]) => Promise<unknown>;

/** The same reading where the view is small or there is no thread to ask. */
export function offloadReading(reading: Reading & Partial<SearchHalves>, by: ReaderOffload): Reading {
  const { readers, answers, snapshot, signal } = by;
  if (snapshot === undefined || !readers?.takes(snapshot.info.chunkCount) || answers === undefined) return reading;
  const at = viewAddress(by.tree, { ...by, snapshot, ref: reading.status.ref });
  const { stateId } = snapshot.info;
  const read = <M extends ReadMethod>(method: M, args: Parameters<ReadApi[M]>) =>
    answers.read(at, stateId, method, args, signal);
  const offloaded: Partial<Record<ReadMethod, AnyMethod>> = {};
  for (const method of READ_METHODS) {
    const { runsIn, queued } = READ_POLICIES[method];
    const local = reading[method] as AnyMethod | undefined;
    if (local === undefined) continue;
    if (runsIn === "reader") offloaded[method] = (...args) => read(method, args as Parameters<ReadApi[typeof method]>);
    else if (queued) offloaded[method] = (...args) => answers.turns.take(() => local(...args), signal);
  }
  const search = async (request: SearchRequest): Promise<SearchAnswer> => {
    const found = await read("find", [request, stateId]);
    return "shown" in found ? found.shown : showOnce(found, reading.show!);
  };
  return { ...reading, ...(offloaded as object), search };
}

/** By what was found: as long as that is remembered, what is shown of it is. */
const shown = new WeakMap<Found, Promise<SearchAnswer>>();

function showOnce(found: Found, show: SearchHalves["show"]): Promise<SearchAnswer> {
  const known = shown.get(found);
  // Another request's, which may have been cancelled or have lost its rights meanwhile.
  if (known !== undefined) return known.catch(() => show(found));
  const answer = show(found);
  shown.set(found, answer);
  answer.catch(() => shown.delete(found));
  return answer;
}

export interface Addressed {
  readonly storeProject: ProjectId;
  readonly snapshot: Snapshot;
  readonly ref: string;
}

export function viewAddress(tree: Tree, { storeProject, snapshot, ref }: Addressed): ViewAddress {
  return { storeLocation: tree.row.storeLocation, project: storeProject, view: snapshot.info.ref, ref };
}

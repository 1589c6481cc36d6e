/** A reading whose questions are answered by another thread. What it knows of itself stays here. */
import type { ProjectId } from "../../model/ids.ts";
import type { SearchAnswer, SearchRequest } from "../../model/search.ts";
import type { Readers, ViewAddress } from "../../ports/readers.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { Found } from "../../query/show.ts";
import type { Reading } from "../compass.ts";
import type { Tree } from "../projects/tree.ts";
import type { AnswerCache } from "./answer-cache.ts";
import type { Halves } from "./reading.ts";

type Whole = Reading & Partial<Halves>;

/**
 * `layer` speaks of the tree on this side, not of the stored view, and `grep` has threads of its own. The others take
 * less time than it takes to ask another thread: a definition at a million lines 1 ms here, and twice that of both there.
 */
const HERE: ReadonlySet<string> = new Set<keyof Whole>(["layer", "grep", "locate", "outline", "body", "show"]);
/** They wait in line with what threads answer; the others are parts of an answer, or have a line of their own. */
const IN_LINE: ReadonlySet<string> = new Set<keyof Reading>(["locate", "outline"]);

export interface ReaderOffload {
  readonly readers: Readers | undefined;
  readonly answers: AnswerCache | undefined;
  readonly tree: Tree;
  readonly storeProject: ProjectId;
  readonly snapshot: Snapshot | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The same reading where the view is small or there is no thread to ask. */
export function offloadReading(reading: Whole, by: ReaderOffload): Reading {
  const { readers, answers, snapshot } = by;
  if (snapshot === undefined || !readers?.takes(snapshot.info.chunkCount) || answers === undefined) return reading;
  const at = viewAddress(by.tree, { ...by, snapshot, ref: reading.status.ref });
  const remote: Record<string, unknown> = { ...reading };
  for (const [name, value] of Object.entries(reading)) {
    if (typeof value !== "function") continue;
    if (IN_LINE.has(name)) {
      remote[name] = (...args: readonly unknown[]) => answers.turns.take(() => value(...args), by.signal);
    }
    if (HERE.has(name)) continue;
    remote[name] = (...args: readonly unknown[]) => answers.ask(at, snapshot.info.stateId, name, args, by.signal);
  }
  const ask = (method: string, about: SearchRequest) =>
    answers.ask(at, snapshot.info.stateId, method, [about], by.signal);
  remote.search = async (about: SearchRequest): Promise<SearchAnswer> => {
    const found = (await ask("find", about)) as Awaited<ReturnType<Halves["find"]>>;
    if ("shown" in found) return found.shown;
    // A thread answers from the newest state; one that was published meanwhile is shown by those who hold it.
    const isOurs = found.stateId === snapshot.info.stateId;
    return isOurs ? shownOnce(found, reading.show!) : ((await ask("search", about)) as SearchAnswer);
  };
  return remote as unknown as Reading;
}

/** By what was found: as long as that is remembered, what is shown of it is. */
const shown = new WeakMap<Found, Promise<SearchAnswer>>();

function shownOnce(found: Found, show: Halves["show"]): Promise<SearchAnswer> {
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

import { expect, test } from "vitest";
import type { IndexRequest } from "../ports/indexer.ts";
import type { ViewInfo } from "../ports/snapshot.ts";
import type { Store } from "../ports/store.ts";
import type { GitObjects } from "../ports/vcs.ts";
import { requestMissingBase } from "./pipeline.ts";

const REQUEST = {
  jobId: "j",
  ref: "refs/heads/x",
  commit: "c2",
  from: "commit",
  paths: ["a"],
  mode: "incremental",
  force: false,
};
const BASE = { base: { ref: "base", commit: "c1" } };

/** What is indexed before a request, given the views there are and how many paths differ from the base. */
async function before(request: object, views: object[], changed: number | undefined): Promise<object | undefined> {
  const paths = changed === undefined ? undefined : Array.from({ length: changed }, (_, i) => `f${i}`);
  const store = { views: async () => views as ViewInfo[] } as unknown as Store;
  const objects = { changed: async () => paths } as unknown as GitObjects;
  const found = await requestMissingBase({ ...REQUEST, ...request } as unknown as IndexRequest, { store, objects });
  return found && { ref: found.ref, commit: found.commit, jobId: found.jobId, paths: found.paths, base: found.base };
}

const made = (commit: string) => ({ ref: "base", commit, jobId: "j-base", paths: undefined, base: undefined });
const check = (
  name: string,
  request: object,
  views: object[],
  changed: number | undefined,
  expected: object | undefined,
) => test(name, async () => expect(await before(request, views, changed)).toEqual(expected));

const present = { ref: "base", commit: "c1", fileCount: 4_000 };
check("no base is wanted", {}, [], 0, undefined);
check("the first view makes one, of the commit that is checked out", BASE, [], 0, made("c1"));
check("one that is near is used", BASE, [present], 900, undefined);
check("a distant base is replaced by one of the view's own commit", BASE, [present], 1_100, made("c2"));
check("so is one whose commit is gone", BASE, [present], undefined, made("c2"));
check("in a small repository much may differ", BASE, [{ ...present, fileCount: 100 }], 350, undefined);
check("a view that is there has its base", BASE, [present, { ref: "refs/heads/x" }], 9_999, undefined);
check("a run that forgets everything needs none", { ...BASE, from: undefined, force: true }, [], 0, undefined);
check("so does a forced index of another ref", { ...BASE, mode: "full", force: true }, [], 0, undefined);
check("a forced sync of another ref keeps its base", { ...BASE, force: true }, [], 0, made("c1"));

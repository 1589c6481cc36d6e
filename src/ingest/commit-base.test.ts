/** Indexing a commit and its base: what is listed and embedded once. */
import { expect, test } from "vitest";
import { pipelineFixture } from "../../test/kit/pipeline-fixture.ts";
import { commit, git } from "../../test/kit/sandbox.ts";
import { diskSelection } from "../adapters/disk/files.ts";
import { gitObjects } from "../adapters/git/objects.ts";
import type { Embedders } from "../ports/embedder.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { GitObjects } from "../ports/vcs.ts";
import type { PipelinePorts } from "./run.ts";

const FILES = { "a.rs": "fn a() {}\n", "b/c.rs": "fn c() {}\n" };

/** A commit that is indexed as a bare clone's is: first the base of its view, then the view. */
async function clone() {
  const { root, run, store, ports } = await pipelineFixture(FILES);
  git(root, "init", "-q", "-b", "main");
  const head = commit(root, "first");
  const walked: (readonly string[] | "all")[] = [];
  const real = gitObjects(diskSelection);
  const objects: GitObjects = {
    ...real,
    walk: (at, options) => {
      walked.push(options?.only ?? "all");
      return real.walk(at, options);
    },
  };
  const request: Partial<IndexRequest> = { mode: "full", from: "commit", blobs: "sha1" };
  const index = (of: string, more: Partial<PipelinePorts> = {}) =>
    run({ ...request, commit: of, base: { ref: "base", commit: of } }, undefined, undefined, {
      ...ports,
      objects,
      ...more,
    });
  const paths = async (ref: string) => (await (await store.snapshot(ref))!.files()).map(({ path }) => path).sort();
  return { head, index, walked, paths };
}

test("what the base was made of a moment ago is not listed again for its view", async () => {
  const { head, index, walked, paths } = await clone();
  expect(await index(head)).toMatchObject({ changedFiles: 2, parsedFiles: 2, coverage: { filesIndexed: 2 } });
  expect(walked).toEqual(["all"]);
  expect([await paths("base"), await paths("live")]).toEqual([Object.keys(FILES), Object.keys(FILES)]);
  expect(await index(head)).toMatchObject({ published: false });
  expect(walked).toEqual(["all", "all"]);
});

/** Counts how often the model is opened to embed missing vectors. */
function counting() {
  let asked = 0;
  const open = async () => {
    asked++;
    return { unavailable: "no model here" };
  };
  const embedders: Embedders = { name: "model", inParsers: true, open };
  return { embedders, asked: () => asked };
}

test("vectors are looked for where something is shown that was not read in the same job", async () => {
  const { head, index } = await clone();
  const { embedders, asked } = counting();
  await index(head, { embedders });
  expect(asked()).toBe(0);
  await index(head, { embedders });
  expect(asked()).toBe(1);
});

test("vectors are looked for where the base shows what another view had read", async () => {
  const { root, run, ports } = await pipelineFixture(FILES);
  git(root, "init", "-q", "-b", "main");
  const head = commit(root, "first");
  const { embedders, asked } = counting();
  const more = { ...ports, objects: gitObjects(diskSelection), embedders };
  const request: Partial<IndexRequest> = { mode: "full", from: "commit", commit: head, blobs: "sha1" };
  await run({ ...request, ref: "before" }, undefined, undefined, more);
  expect(asked()).toBe(0);
  await run({ ...request, base: { ref: "base", commit: head } }, undefined, undefined, more);
  expect(asked()).toBe(1);
});

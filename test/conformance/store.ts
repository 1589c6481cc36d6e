/** What every store must do. `store.test.ts` runs it on each engine. */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { NO_FACTS } from "../../src/model/edges.ts";
import type { TrigramPlan } from "../../src/model/grep.ts";
import type { ProjectId } from "../../src/model/ids.ts";
import type { LexicalQuery } from "../../src/ports/candidates.ts";
import type { Store, StoreOpener } from "../../src/ports/store.ts";
import { versionKeyText } from "../../src/ports/versions.ts";
import { decodeText } from "../../src/segment/stored-content.ts";
import { trigramSign } from "../../src/text/trigrams.ts";
import {
  batchOf,
  idsOf,
  keyOf,
  PROJECT,
  processIdentity,
  publication,
  publishFiles,
  show,
  stamped,
  type TestEnv,
  type TextFile,
  takeLease,
  testEnv,
  testFacts,
  testJob,
  testRecord,
} from "../kit/store.ts";

export interface Engine {
  readonly stores: StoreOpener;
  /** A location where nothing is stored yet. */
  freshLocation(): string;
}

const A: TextFile = { path: "src/a.rs", text: "def parse user\n\ntoken user user", language: "rust" };
const B: TextFile = { path: "src/b.go", text: "def Parse token\n\ndef render html", language: "go" };
const B2: TextFile = { ...B, text: "def Parse changed\n\nfresh" };
const C: TextFile = { path: "docs/c.md", text: "user guide\n\nhtml", language: "markdown" };

const OTHER_PROJECT = "fedcba9876543210" as ProjectId;

const trigramOf = (text: string) => [...text].reduce((sum, char) => (sum << 6) | trigramSign(char.charCodeAt(0)), 0);

export function describeStore(name: string, engineOf: (env: TestEnv) => Engine): void {
  describe(`store: ${name}`, () => {
    let env: TestEnv;
    let engine: Engine;
    let location: string;
    let store: Store;
    const open = (create = true) => engine.stores.open(location, { create, project: PROJECT });

    beforeEach(async () => {
      env = testEnv();
      engine = engineOf(env);
      location = engine.freshLocation();
      store = await open();
      return () => store.close();
    });

    const paths = async (ref = "main", from = store) => {
      const snapshot = await from.snapshot(ref);
      const found = snapshot && (await snapshot.files()).map((file) => file.path);
      snapshot?.release();
      return found;
    };
    const search = async (words: string, options: Partial<LexicalQuery> = {}) => {
      const terms = words.split(" ").map((term) => ({ term, weight: 1 }));
      const snapshot = await store.snapshot("main");
      const page = await snapshot!.lexical({ limit: 10, ...options, terms });
      snapshot!.release();
      return page;
    };
    const hits = async (words: string, options = {}) =>
      (await search(words, options)).candidates.map((hit) => `${hit.file.path}#${hit.chunk}`);
    const refused = (code: string) => expect.objectContaining({ code });

    describe("schema", () => {
      test("reports its schema", () => expect(store.caps().engine).toMatch(/./));

      test("an unpublished store is not_indexed, and reading creates nothing", async () => {
        expect(await store.inspect()).toMatchObject({ status: "not_indexed", currentVersion: 0 });
        expect(await store.snapshot("main")).toBeUndefined();
        expect(await store.views()).toEqual([]);
        expect(await store.jobs(5)).toEqual([]);
        expect(await store.sizeBytes()).toBe(0);
      });

      test("a build that was never published is not_indexed", async () => {
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.put(batchOf([A]));
        expect((await store.inspect()).status).toBe("not_indexed");
      });

      test("a published store is compatible, also for a second opener", async () => {
        await publishFiles(store, [A]);
        const second = await open(false);
        const { status, currentVersion, requiredVersion } = await second.inspect();
        expect({ status, currentVersion }).toEqual({ status: "compatible", currentVersion: requiredVersion });
        await second.close();
      });

      test("a removed store is gone, and its neighbour stays", async () => {
        await publishFiles(store, [A]);
        const elsewhere = engine.freshLocation();
        const neighbour = await engine.stores.open(elsewhere, { create: true, project: OTHER_PROJECT });
        await publishFiles(neighbour, [B]);
        await store.close();
        await engine.stores.remove(location);
        store = await open(false);
        expect(await store.inspect()).toMatchObject({ status: "not_indexed", currentVersion: 0 });
        expect(await store.views()).toEqual([]);
        expect(await paths()).toBeUndefined();
        expect(await paths("main", neighbour)).toEqual([B.path]);
        await neighbour.close();
        await store.close();
        store = await open();
        await publishFiles(store, [C]);
        expect(await paths()).toEqual([C.path]);
      });

      test("removing a missing store does nothing", async () => {
        await publishFiles(store, [A]);
        await engine.stores.remove(engine.freshLocation());
        expect(await paths()).toEqual([A.path]);
      });

      test("a complete index verifies", async () => {
        await publishFiles(store, [A, B]);
        expect(await store.verify("quick")).toEqual([]);
        expect(await store.verify("full")).toEqual([]);
        expect(await store.sizeBytes()).toBeGreaterThan(0);
      });
    });

    describe("publish and snapshot", () => {
      test("the generation of a view grows by one per publish", async () => {
        expect(await publishFiles(store, [A])).toBe(1);
        expect(await publishFiles(store, [B])).toBe(2);
        expect(await paths()).toEqual(["src/a.rs", "src/b.go"]);
      });

      test("stored files are invisible until published", async () => {
        await publishFiles(store, [A]);
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.put(batchOf([B]));
        expect(await paths()).toEqual(["src/a.rs"]);
        await build.publish(publication([show(B)]));
        expect(await paths()).toEqual(["src/a.rs", "src/b.go"]);
      });

      test("an aborted build leaves nothing visible", async () => {
        await publishFiles(store, [A]);
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.put(batchOf([B]));
        await build.abort();
        expect(await paths()).toEqual(["src/a.rs"]);
      });

      test("publishing twice with one job id publishes once", async () => {
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.put(batchOf([A]));
        const once = publication([show(A)]);
        expect(await build.publish(once)).toBe(1);
        expect(await build.publish(once)).toBe(1);
        expect((await store.views())[0]!.generation).toBe(1);
      });

      test("a reader that was notified of a state gets that state, not the one read before", async () => {
        await publishFiles(store, [A]);
        const reader = await open(false);
        const shownBy = async () => {
          const [seen] = await reader.views();
          const snapshot = await reader.snapshot("main", undefined, seen);
          snapshot!.release();
          return snapshot!.info;
        };
        expect(await shownBy()).toMatchObject({ generation: 1, fileCount: 1 });
        expect(await shownBy()).toMatchObject({ generation: 1, fileCount: 1 });
        await publishFiles(store, [B]);
        expect(await shownBy()).toMatchObject({ generation: 2, fileCount: 2 });
        await reader.close();
      });

      test("a change replaces a file, a removal removes it", async () => {
        await publishFiles(store, [A, B, C]);
        await publishFiles(store, [B2], { also: [{ path: C.path, removed: true }] });
        expect(await paths()).toEqual(["src/a.rs", "src/b.go"]);
        expect(await hits("fresh")).toEqual(["src/b.go#1"]);
        expect(await hits("render")).toEqual([]);
      });

      test("a file can return to an earlier content without being stored again", async () => {
        await publishFiles(store, [B]);
        await publishFiles(store, [B2]);
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.publish(publication([show(B)]));
        expect(await hits("render")).toEqual(["src/b.go#1"]);
        expect(await hits("fresh")).toEqual([]);
      });

      test("a version that was never stored cannot be published, and the old state stays", async () => {
        await publishFiles(store, [A]);
        const build = await store.begin(await takeLease(store), "main", "update");
        await expect(build.publish(publication([show(C), show(B)]))).rejects.toEqual(refused("internal_error"));
        expect(await paths()).toEqual(["src/a.rs"]);
        expect((await store.views())[0]!.generation).toBe(1);
      });

      test("a segment that does not match its files is rejected", async () => {
        const build = await store.begin(await takeLease(store), "main", "update");
        await expect(build.put({ files: batchOf([A]).files, segment: batchOf([A, B]).segment })).rejects.toThrow();
      });

      test("a held snapshot survives publish and gc", async () => {
        await publishFiles(store, [A, B]);
        const held = (await store.snapshot("main"))!;
        await publishFiles(store, [B2], { also: [{ path: A.path, removed: true }] });
        env.time += 24 * 3_600_000;
        await store.gc(await takeLease(store));
        expect((await held.files()).map((file) => file.path)).toEqual(["src/a.rs", "src/b.go"]);
        expect(await held.text((await held.file(B.path))!)).toBe(B.text);
        expect(await held.record((await held.file(A.path))!)).toEqual(testRecord(A));
        const page = await held.lexical({ terms: [{ term: "render", weight: 1 }], limit: 5 });
        expect(page.candidates.map((hit) => hit.file.path)).toEqual(["src/b.go"]);
        held.release();
        held.release();
      });

      test("gc removes what no view shows and keeps the rest", async () => {
        await publishFiles(store, [A, B], { publication: { publishedAt: env.time } });
        await publishFiles(store, [B2], { publication: { publishedAt: env.time } });
        env.time += 24 * 3_600_000;
        const lease = await takeLease(store);
        const report = await store.gc(lease);
        expect(report.versionsRemoved).toBe(1);
        await lease.release();
        expect(new Set(await hits("fresh user"))).toEqual(new Set(["src/a.rs#0", "src/a.rs#1", "src/b.go#1"]));
        expect(await store.verify("full")).toEqual([]);
        const build = await store.begin(await takeLease(store), "main", "update");
        expect([...(await build.known([keyOf(A), keyOf(B), keyOf(B2)]))].sort()).toEqual(
          [keyOf(A), keyOf(B2)].map(versionKeyText).sort(),
        );
      });

      test("another opener sees the published state", async () => {
        const reader = await open(false);
        expect(await paths("main", reader)).toBeUndefined();
        await publishFiles(store, [A]);
        expect(await paths("main", reader)).toEqual(["src/a.rs"]);
        await publishFiles(store, [B]);
        expect(await paths("main", reader)).toEqual(["src/a.rs", "src/b.go"]);
        await reader.close();
      });

      test("reset keeps the old state until the new one is published, then drops it", async () => {
        await publishFiles(store, [A, B]);
        const lease = await takeLease(store);
        const build = await store.begin(lease, "main", "reset");
        expect((await build.entries()).size).toBe(0);
        expect((await build.known([keyOf(A)])).size).toBe(0);
        await build.put(batchOf([C]));
        expect(await paths()).toEqual(["src/a.rs", "src/b.go"]);
        await build.publish(publication([show(C)]));
        expect(await paths()).toEqual(["docs/c.md"]);
        expect(await hits("token")).toEqual([]);
        await lease.release();
        await publishFiles(store, [A]);
        expect(await paths()).toEqual(["docs/c.md", "src/a.rs"]);
      });

      test("an aborted reset leaves the old state", async () => {
        await publishFiles(store, [A]);
        const build = await store.begin(await takeLease(store), "main", "reset");
        await build.put(batchOf([C]));
        await build.abort();
        expect(await paths()).toEqual(["src/a.rs"]);
      });
    });

    describe("refs", () => {
      test("views are separate, content is shared", async () => {
        await publishFiles(store, [A, B], { ref: "main" });
        const build = await store.begin(await takeLease(store), "feature/x/y", "update");
        expect((await build.known([keyOf(A), keyOf(B)])).size).toBe(2);
        await build.put(batchOf([B2]));
        await build.publish(publication([show(A), show(B2)]));
        expect((await store.views()).map((view) => `${view.ref}:${view.generation}`)).toEqual([
          "feature/x/y:1",
          "main:1",
        ]);
        const [main, feature] = [(await store.snapshot("main"))!, (await store.snapshot("feature/x/y"))!];
        expect(await main.text((await main.file(B.path))!)).toBe(B.text);
        expect(await feature.text((await feature.file(B.path))!)).toBe(B2.text);
      });

      describe("with a base view", () => {
        const begin = async (ref: string, base: string) => store.begin(await takeLease(store), ref, "update", { base });
        const over = async (ref: string, changes: Parameters<typeof publication>[0], put: TextFile[] = []) => {
          const lease = await takeLease(store);
          try {
            const build = await store.begin(lease, ref, "update", { base: "main" });
            if (put.length > 0) await build.put(batchOf(put));
            return await build.publish(publication(changes, { commit: ref }));
          } finally {
            await lease.release();
          }
        };

        test("a new view starts as a copy of its base and stores only its differences", async () => {
          await publishFiles(store, [A, B], { also: [{ path: "x.png", skip: "binary" }] });
          const build = await begin("feat", "main");
          expect([...(await build.entries()).keys()].sort()).toEqual(["src/a.rs", "src/b.go", "x.png"]);
          // At least the requested ones: an engine may return more.
          expect([...(await build.entries(["src"])).keys()]).toEqual(expect.arrayContaining(["src/a.rs", "src/b.go"]));
          expect((await build.entries(["x.png", "none"])).get("x.png")).toEqual({ path: "x.png", skip: "binary" });
          await build.put(batchOf([B2, C]));
          await build.publish(publication([show(B2), show(C), { path: A.path, removed: true }]));
          expect(await paths("feat")).toEqual(["docs/c.md", "src/b.go"]);
          expect(await paths()).toEqual(["src/a.rs", "src/b.go"]);
          const [feat, main] = await store.views();
          expect(feat).toMatchObject({ ref: "feat", fileCount: 2, coverage: { skippedReasons: { binary: 1 } } });
          expect(main).toMatchObject({ ref: "main", fileCount: 2, generation: 1 });
        });

        test("later changes of the base are not visible", async () => {
          await publishFiles(store, [A, B]);
          await over("feat", []);
          await publishFiles(store, [B2, C], { also: [{ path: A.path, removed: true }] });
          expect(await paths("feat")).toEqual(["src/a.rs", "src/b.go"]);
          const later = await open(false);
          expect(await paths("feat", later)).toEqual(["src/a.rs", "src/b.go"]);
          await later.close();
        });

        test("a difference disappears when the view returns to its base", async () => {
          await publishFiles(store, [A, B]);
          await over("feat", [{ path: A.path, removed: true }, show(B2), show(C)], [B2, C]);
          await over("feat", [show(A), show(B), { path: C.path, removed: true }]);
          expect(await paths("feat")).toEqual(["src/a.rs", "src/b.go"]);
          await over("feat", [{ path: B.path, skip: "generated" }]);
          expect(await paths("feat")).toEqual(["src/a.rs"]);
          expect(await store.verify("full")).toEqual([]);
          expect((await store.views()).map((view) => [view.ref, view.generation])).toEqual([
            ["feat", 3],
            ["main", 1],
          ]);
        });

        test("gc keeps what a view still shows of its base", async () => {
          await publishFiles(store, [A, B]);
          await over("feat", [show(C)], [C]);
          await publishFiles(store, [B2], { also: [{ path: A.path, removed: true }] });
          env.time += 3_600_000;
          await publishFiles(store, [], { publication: { publishedAt: env.time } });
          env.time += 3_600_000;
          const lease = await takeLease(store);
          await store.gc(lease);
          await lease.release();
          const later = await open(false);
          expect(await paths("feat", later)).toEqual(["docs/c.md", "src/a.rs", "src/b.go"]);
          const snapshot = (await later.snapshot("feat"))!;
          const file = (await snapshot.file(B.path))!;
          expect(await snapshot.text(file)).toBe(B.text);
          await later.close();
        });

        test("a base that does not exist, or has a base itself, is ignored", async () => {
          await publishFiles(store, [A]);
          await over("feat", [show(B)], [B]);
          const build = await begin("third", "feat");
          await build.publish(publication([show(A)]));
          expect((await paths("third"))!.includes("src/a.rs")).toBe(true);
          expect(await store.verify("full")).toEqual([]);
        });
      });

      test("the time of the last query of a view is stored, for other openers too", async () => {
        await publishFiles(store, [A]);
        await store.used("main");
        const later = await open(false);
        expect([...(await later.uses())]).toEqual([["main", env.now()]]);
        await later.close();
      });

      test("a blob read before is found by path and extractor", async () => {
        const blob = "ab".repeat(20);
        const build = await store.begin(await takeLease(store), "main", "update");
        const batch = batchOf([A]);
        await build.put({ ...batch, files: batch.files.map((file) => ({ ...file, blob })) });
        const ask = (path: string, id: string, extractor = "test@1") => build.recall([{ path, blob: id }], extractor);
        expect([...(await ask(A.path, blob))]).toEqual([[A.path, keyOf(A)]]);
        expect((await ask(A.path, "cd".repeat(20))).size).toBe(0);
        expect((await ask(B.path, blob)).size).toBe(0);
        expect((await ask(A.path, blob, "other")).size).toBe(0);
      });

      test("a ref without a view has no snapshot", async () => {
        await publishFiles(store, [A]);
        expect(await store.snapshot("other")).toBeUndefined();
        expect(await store.snapshot("mai")).toBeUndefined();
      });

      test("text of another view does not change the scores of this one", async () => {
        await publishFiles(store, [A, B]);
        const before = (await search("user token")).candidates.map((hit) => hit.score);
        await publishFiles(store, [C, { path: "x.rs", text: "user user\n\nuser token" }], { ref: "other" });
        expect((await search("user token")).candidates.map((hit) => hit.score)).toEqual(before);
      });
    });

    describe("lease and fencing", () => {
      test("one of two owners gets the lease, and the other learns who holds it", async () => {
        await takeLease(store, processIdentity(1));
        expect(await (await open()).lease(processIdentity(2), 30_000)).toEqual({ held: true, by: processIdentity(1) });
      });

      test("a released lease can be taken, with a larger token", async () => {
        const first = await takeLease(store, processIdentity(1));
        await first.release();
        expect((await takeLease(store, processIdentity(2))).token).toBeGreaterThan(first.token);
      });

      test("a dead owner's lease is taken over at once", async () => {
        const first = await takeLease(store, processIdentity(7));
        env.dead.add(7);
        expect((await takeLease(store, processIdentity(2))).token).toBe(first.token + 1);
      });

      test("an expired lease is taken over, and its former holder can do nothing more", async () => {
        const stale = await takeLease(store, processIdentity(1));
        const build = await store.begin(stale, "main", "update");
        await build.put(batchOf([A]));
        env.time += 31_000;
        const fresh = await takeLease(store, processIdentity(2));
        await expect(build.publish(publication([show(A)]))).rejects.toEqual(refused("index_in_progress"));
        await expect(build.put(batchOf([B]))).rejects.toEqual(refused("index_in_progress"));
        await expect(build.restamp(PROJECT, [stamped(A, "x")])).rejects.toEqual(refused("index_in_progress"));
        await expect(stale.renew()).rejects.toEqual(refused("index_in_progress"));
        await expect(store.begin(stale, "main", "update")).rejects.toEqual(refused("index_in_progress"));
        await expect(store.gc(stale)).rejects.toEqual(refused("index_in_progress"));
        await stale.release();
        await fresh.renew();
        expect(await store.views()).toEqual([]);
      });

      test("a renewed lease stays valid", async () => {
        const lease = await takeLease(store, processIdentity(1));
        env.time += 20_000;
        await lease.renew();
        env.time += 20_000;
        expect(await store.lease(processIdentity(2), 30_000)).toMatchObject({ held: true });
      });

      test.each([
        ["a year back", -365 * 86_400_000],
        ["ten years on", 3_650 * 86_400_000],
      ])("a clock that jumps %s never makes two writers", async (_, jump) => {
        const first = await store.begin(await takeLease(store, processIdentity(1)), "main", "update");
        await first.put(batchOf([A]));
        env.time += jump;
        const second = await store.begin(await takeLease(store, processIdentity(2)), "main", "update");
        await expect(first.publish(publication([show(A)]))).rejects.toEqual(refused("index_in_progress"));
        await second.publish(publication([show(A)]));
        expect(await paths()).toEqual(["src/a.rs"]);
      });

      test("an expired lease that was not taken over may still publish", async () => {
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.put(batchOf([A]));
        env.time += 60_000;
        expect(await build.publish(publication([show(A)]))).toBe(1);
      });
    });

    describe("lexical", () => {
      test("ranks by BM25 with parts that sum to the score", async () => {
        await publishFiles(store, [A, B, C]);
        const page = await search("user token");
        expect(page).toMatchObject({ matched: 4, completeness: "complete" });
        expect(`${page.candidates[0]!.file.path}#${page.candidates[0]!.chunk}`).toBe("src/a.rs#1");
        for (const hit of page.candidates) expect(hit.parts[0]! + hit.parts[1]!).toBeCloseTo(hit.score, 9);
      });

      test("matches a score computed by hand", async () => {
        await publishFiles(store, [
          { path: "x", text: "a b" },
          { path: "y", text: "c c c d" },
        ]);
        const idf = Math.log(1 + (2 - 1 + 0.5) / 1.5);
        const [hit] = (await search("c")).candidates;
        expect(hit!.score).toBeCloseTo((idf * 3 * 2.2) / (3 + 1.2 * (0.25 + (0.75 * 4) / 3)), 9);
      });

      test("weights scale scores; zero counts nothing", async () => {
        await publishFiles(store, [A, B]);
        const snapshot = (await store.snapshot("main"))!;
        const ask = (weight: number) => snapshot.lexical({ terms: [{ term: "token", weight }], limit: 5 });
        const [once, twice] = [(await ask(1)).candidates, (await ask(2)).candidates];
        expect(twice[0]!.score).toBeCloseTo(2 * once[0]!.score, 9);
        expect(await ask(0)).toMatchObject({ candidates: [], matched: 0 });
      });

      test.each([
        ["language", { languages: ["go"] }, ["src/b.go#0"]],
        ["two languages", { languages: ["go", "rust"] }, ["src/b.go#0", "src/a.rs#1", "src/a.rs#0"]],
        ["directory", { under: "docs" }, ["docs/c.md#0"]],
        ["directory with a slash", { under: "src/" }, ["src/b.go#0", "src/a.rs#1", "src/a.rs#0"]],
        ["file", { under: "src/b.go" }, ["src/b.go#0"]],
        ["both", { under: "src", languages: ["markdown"] }, []],
        ["part of a name", { under: "sr" }, []],
        ["what passes", { keeps: (path: string) => path.includes(".r") }, ["src/a.rs#1", "src/a.rs#0"]],
        ["no language", { languages: [] }, []],
      ])("a filter by %s narrows and leaves scores alone", async (_, filter, expected) => {
        await publishFiles(store, [A, B, C]);
        const all = await search("token user parse");
        const some = await search("token user parse", filter);
        expect(new Set(some.candidates.map((hit) => `${hit.file.path}#${hit.chunk}`))).toEqual(new Set(expected));
        expect(some.matched).toBe(expected.length);
        for (const hit of some.candidates) {
          const same = all.candidates.find((it) => it.file.path === hit.file.path && it.chunk === hit.chunk);
          expect(hit.score).toBeCloseTo(same!.score, 9);
        }
      });

      test("breaks ties by path, then chunk, and applies the limit after sorting", async () => {
        const same = "same words here";
        await publishFiles(
          store,
          ["z", "b", "a"].map((path) => ({ path, text: `${same}\n\n${same}` })),
        );
        expect(await hits("same")).toEqual(["a#0", "a#1", "b#0", "b#1", "z#0", "z#1"]);
        expect(await hits("same", { limit: 3 })).toEqual(["a#0", "a#1", "b#0"]);
        expect(await search("same", { limit: 0 })).toMatchObject({ candidates: [], matched: 6 });
      });

      test("no terms, unknown terms and odd terms find nothing", async () => {
        await publishFiles(store, [A]);
        const snapshot = (await store.snapshot("main"))!;
        expect(await snapshot.lexical({ terms: [], limit: 5 })).toEqual({
          candidates: [],
          matched: 0,
          completeness: "complete",
        });
        for (const odd of ["nowhere", "", "\0", "\ud800", "x".repeat(100_000), '" OR 1=1 --', "user*", "__proto__"]) {
          expect(await hits(odd || "\u0001")).toEqual([]);
        }
      });

      test("a view without files answers", async () => {
        await publishFiles(store, []);
        expect(await search("user")).toEqual({ candidates: [], matched: 0, completeness: "complete" });
        expect(await (await store.snapshot("main"))!.termStats(["user"])).toMatchObject({
          chunkCount: 0,
          averageLength: 0,
        });
      });

      test("term statistics are those of the view", async () => {
        await publishFiles(store, [A, B]);
        await publishFiles(store, [C], { ref: "other" });
        const stats = await (await store.snapshot("main"))!.termStats(["user", "html", "none"]);
        expect(stats).toMatchObject({ chunkCount: 4, averageLength: 3 });
        expect([...stats.documentFrequency]).toEqual([
          ["user", 2],
          ["html", 1],
          ["none", 0],
        ]);
      });

      test("scores equal the reference on random corpora, edits and queries", async () => {
        const words = fc.array(fc.constantFrom("a", "b", "c", "dd", "ee", "f_g", "h1"), { minLength: 1, maxLength: 8 });
        const text = fc
          .array(words, { maxLength: 4 })
          .map((chunks) => chunks.map((chunk) => chunk.join(" ")).join("\n\n"));
        const edit = fc.record({ path: fc.constantFrom("p/1", "p/2", "q/3", "q/4", "r"), text: fc.option(text) });
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.array(edit, { maxLength: 4 }), { minLength: 1, maxLength: 4 }),
            words,
            async (rounds, query) => {
              location = engine.freshLocation();
              await store.close();
              store = await open();
              const tree = new Map<string, TextFile>();
              for (const round of rounds) {
                const edits = new Map(round.map((it) => [it.path, it.text]));
                const files = [...edits].flatMap(([path, it]) => (it === null ? [] : [{ path, text: it }]));
                const also = [...edits].flatMap(([path, it]) =>
                  it === null ? [{ path, removed: true as const }] : [],
                );
                await publishFiles(store, files, { also });
                for (const file of files) tree.set(file.path, file);
                for (const { path } of also) tree.delete(path);
              }
              const page = await search(query.join(" "), { limit: 100 });
              const expected = referenceScores([...tree.values()], query);
              expect(page.matched).toBe(expected.length);
              // Sums of equal parts in another order differ in the last bit, so two equal scores may swap places.
              for (const [at, hit] of page.candidates.entries()) expect(hit.score).toBeCloseTo(expected[at]!.score, 6);
              const found = page.candidates.map((hit) => ({ at: `${hit.file.path}#${hit.chunk}`, score: hit.score }));
              expect(inOrder(found)).toEqual(inOrder(expected));
            },
          ),
          { numRuns: 25 },
        );
      });
    });

    describe("limits", () => {
      test("a query that runs out of time is partial", async () => {
        await publishFiles(store, [A]);
        const snapshot = (await store.snapshot("main"))!;
        const terms = ["user", "token", "parse"].map((term) => ({ term, weight: 1 }));
        const page = await snapshot.lexical({ terms, limit: 5 }, { deadlineMs: 0 });
        expect(page.completeness).toBe("partial");
        expect((await snapshot.lexical({ terms, limit: 5 }, { deadlineMs: 60_000 })).completeness).toBe("complete");
      });

      test("an aborted signal ends a call with its reason", async () => {
        await publishFiles(store, [A]);
        const snapshot = (await store.snapshot("main"))!;
        const signal = AbortSignal.abort(new Error("gone"));
        await expect(store.snapshot("main", { signal })).rejects.toThrow("gone");
        await expect(snapshot.lexical({ terms: [], limit: 1 }, { signal })).rejects.toThrow("gone");
        await expect(snapshot.symbols({ name: "x", match: "exact", limit: 1 }, { signal })).rejects.toThrow("gone");
      });
    });

    describe("symbols", () => {
      beforeEach(async () => {
        await publishFiles(store, [A, B, { path: "z.rs", text: "def parser def PARSE", language: "rust" }]);
      });
      test.each([
        ["parse", "exact", ["parse@src/a.rs"]],
        ["PARSE", "exact", ["PARSE@z.rs"]],
        ["parse", "folded", ["PARSE@z.rs", "Parse@src/b.go", "parse@src/a.rs"]],
        ["pars", "folded", []],
        ["Pars", "prefix", ["PARSE@z.rs", "Parse@src/b.go", "parse@src/a.rs", "parser@z.rs"]],
        ["parser", "prefix", ["parser@z.rs"]],
        ["user", "exact", []],
        ["%", "prefix", []],
      ] as const)("named %s, %s", async (name, match, expected) => {
        const page = await (await store.snapshot("main"))!.symbols({ name, match, limit: 10 });
        expect(page.candidates.map((it) => `${it.name}@${it.file.path}`)).toEqual(expected);
        expect(page.matched).toBe(expected.length);
      });

      test("the limit truncates the list, not the count", async () => {
        const page = await (await store.snapshot("main"))!.symbols({ name: "parse", match: "folded", limit: 2 });
        expect([page.candidates.length, page.matched]).toEqual([2, 3]);
      });

      test("a name with too many symbols is only counted, up to a maximum", async () => {
        const snapshot = (await store.snapshot("main"))!;
        const ask = (atMost: number) => snapshot.symbols({ name: "parse", match: "folded", limit: 9, atMost });
        expect(await ask(2)).toEqual({ candidates: [], matched: 3 });
        expect(await ask(0)).toEqual({ candidates: [], matched: 1 });
        expect(await ask(3)).toEqual(await snapshot.symbols({ name: "parse", match: "folded", limit: 9 }));
      });

      test("by symbol id and by stable id", async () => {
        const snapshot = (await store.snapshot("main"))!;
        const [id, stable] = idsOf(B, { kind: "fn", name: "render" });
        for (const handle of [id, stable]) {
          const found = await snapshot.symbolsById(handle);
          expect(found.map((it) => [it.file.path, it.index, it.name])).toEqual([["src/b.go", 1, "render"]]);
        }
        for (const other of [`${id.slice(0, -1)}!`, "sym_", "", "b3:"])
          expect(await snapshot.symbolsById(other)).toEqual([]);
      });

      test("the symbol names nearest to a misspelt one", async () => {
        await publishFiles(store, [A, B, C]);
        const snapshot = (await store.snapshot("main"))!;
        expect(await snapshot.nearNames("rendr", 5)).toEqual(["render"]);
        expect(await snapshot.nearNames("rendr", 5, ({ path }) => path === A.path)).toEqual([]);
        expect(await snapshot.nearNames("zebra_unicorn", 5)).toEqual([]);
        expect(await snapshot.nearNames("", 5)).toEqual([]);
      });

      test("symbols of removed files are gone", async () => {
        await publishFiles(store, [], { also: [{ path: "z.rs", removed: true }] });
        const snapshot = (await store.snapshot("main"))!;
        expect((await snapshot.symbols({ name: "parser", match: "exact", limit: 5 })).matched).toBe(0);
        const [id] = idsOf({ path: "z.rs", text: "", language: "rust" }, { kind: "fn", name: "parser" });
        expect(await snapshot.symbolsById(id)).toEqual([]);
      });
    });

    describe("files and entries", () => {
      test("files are sorted; records and texts are returned as stored", async () => {
        await publishFiles(store, [C, B, A]);
        const snapshot = (await store.snapshot("main"))!;
        const files = await snapshot.files();
        expect(files.map((file) => [file.path, file.language])).toEqual([
          ["docs/c.md", "markdown"],
          ["src/a.rs", "rust"],
          ["src/b.go", "go"],
        ]);
        for (const [at, file] of [C, A, B].entries()) {
          expect(await snapshot.record(files[at]!)).toEqual(testRecord(file));
          expect(await snapshot.text(files[at]!)).toBe(file.text);
          expect(files[at]!.contentHash).toBe(keyOf(file).contentHash);
        }
        expect(await snapshot.file("nowhere")).toBeUndefined();
      });

      test("answers are the same after caches were released, also in a held snapshot", async () => {
        await publishFiles(store, [C, { ...B, uses: ["parse"] }, A]);
        const snapshot = (await store.snapshot("main"))!;
        const asked = async () => {
          const files = await snapshot.files();
          const contents = files.map(async (file) => [await snapshot.record(file), await snapshot.text(file)]);
          return [files, await Promise.all(contents), await snapshot.facts(files), await snapshot.mentions("parse")];
        };
        const before = await asked();
        store.rest();
        store.rest();
        expect(await asked()).toEqual(before);
        snapshot.release();
        await publishFiles(store, [{ ...A, text: "def later" }]);
        expect(await hits("later")).toEqual(["src/a.rs#0"]);
      });

      test("facts are returned as stored, and a name leads to the files of the view that use it", async () => {
        const one: TextFile = { path: "a.ts", text: "one", uses: ["parse", "Token"], imports: ["./b"] };
        const two: TextFile = { path: "b.ts", text: "two", uses: ["parse"] };
        await publishFiles(store, [two, one, A]);
        const users = async (name: string) => {
          const snapshot = (await store.snapshot("main"))!;
          const found = (await snapshot.mentions(name)).map((file) => file.path);
          snapshot.release();
          return found;
        };
        expect(await users("parse")).toEqual(["a.ts", "b.ts"]);
        expect(await users("Token")).toEqual(["a.ts"]);
        expect(await users("token")).toEqual([]);
        const snapshot = (await store.snapshot("main"))!;
        const files = await snapshot.files();
        expect(await snapshot.facts(files)).toEqual([testFacts(one), testFacts(two), NO_FACTS]);
        expect(await snapshot.modules()).toEqual([{ file: files[0], modules: ["./b"] }]);
        snapshot.release();
        const later: TextFile = { ...one, text: "later", uses: ["render"] };
        await publishFiles(store, [later]);
        expect(await users("parse")).toEqual(["b.ts"]);
        expect(await users("render")).toEqual(["a.ts"]);
      });

      test("stored texts are returned unchanged, in the order requested", async () => {
        await publishFiles(store, [C, B, A]);
        const snapshot = (await store.snapshot("main"))!;
        const [c, a] = await snapshot.files();
        const packed = await snapshot.packed([a!, c!]);
        expect(packed.map((bytes) => decodeText(bytes))).toEqual([A.text, C.text]);
      });

      test("finds files of the view that contain a trigram, by path", async () => {
        await publishFiles(store, [C, B, A]);
        await publishFiles(store, [B2]);
        const snapshot = (await store.snapshot("main"))!;
        const holding = async (plan: TrigramPlan) => (await snapshot.holding(plan)).map((file) => file.path);
        const has = (text: string) => ({ op: "has", trigram: trigramOf(text) }) as const;
        expect(await holding({ op: "any" })).toEqual([C.path, A.path, B.path]);
        expect(await holding(has("use"))).toEqual([C.path, A.path]);
        expect(await holding(has("PAR"))).toEqual([A.path, B.path]);
        expect(await holding(has("fre"))).toEqual([B.path]);
        expect(await holding(has("htm"))).toEqual([C.path]);
        expect(await holding({ op: "and", parts: [has("use"), has("par")] })).toEqual([A.path]);
        expect(await holding({ op: "or", parts: [has("gui"), has("cha")] })).toEqual([C.path, B.path]);
        expect(await holding({ op: "or", parts: [] })).toEqual([]);
      });

      test("skipped paths by reason, sorted", async () => {
        const also = [
          { path: "z.bin", skip: "binary" },
          { path: "b.min.js", skip: "minified" },
          { path: "a.gen.go", skip: "generated" },
        ] as const;
        await publishFiles(store, [A], { also });
        const snapshot = (await store.snapshot("main"))!;
        expect(await snapshot.skips(["minified", "generated"])).toEqual(["a.gen.go", "b.min.js"]);
        expect(await snapshot.skips([])).toEqual([]);
      });

      test("equal content at two paths gives two files", async () => {
        await publishFiles(store, [A, { ...A, path: "copy.rs" }]);
        expect(await hits("token")).toEqual(["copy.rs#1", "src/a.rs#1"]);
      });

      test("a file without chunks and symbols is still a file", async () => {
        await publishFiles(store, [{ path: "empty", text: "" }, A]);
        expect(await paths()).toEqual(["empty", "src/a.rs"]);
        expect(await hits("token")).toEqual(["src/a.rs#1"]);
      });

      test("odd paths and texts survive", async () => {
        const odd = ["-x", "a b\nc", "ünï/çødé", "ＮＦＫ", "e\u0301", "\u00e9", "😀.ts", "UPPER", "upper", "..foo"];
        const files = odd.map((path) => ({ path, text: `\ufeffdef f\u0000 ${path}\r\nend` }));
        await publishFiles(store, files);
        const snapshot = (await store.snapshot("main"))!;
        expect((await snapshot.files()).map((file) => file.path)).toEqual([...odd].sort());
        for (const file of files) expect(await snapshot.text((await snapshot.file(file.path))!)).toBe(file.text);
      });

      test("entries list versions and skips", async () => {
        const build = await store.begin(await takeLease(store), "main", "update");
        expect((await build.entries()).size).toBe(0);
        await build.put(batchOf([A]));
        await build.publish(publication([show(A), { path: "big.bin", skip: "binary" }]));
        expect([...(await build.entries())].sort()).toEqual([
          ["big.bin", { path: "big.bin", skip: "binary" }],
          [A.path, { path: A.path, version: keyOf(A) }],
        ]);
      });
    });

    describe("stamps of a work tree", () => {
      const BINARY = { path: "big.bin", skip: "binary" } as const;
      const stampsOf = async (ref = "main", tree = PROJECT, from = store) => {
        const snapshot = (await from.snapshot(ref))!;
        const stamps = [...(await snapshot.stamps(tree))].sort();
        snapshot.release();
        return stamps;
      };

      test("are returned by path with the version that was read; storing them is not a publish", async () => {
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.put(batchOf([A, B]));
        await build.publish(publication([show(A), show(B), BINARY]));
        expect((await build.stamps(PROJECT)).size).toBe(0);
        const learnt = [stamped(A, "s1"), { ...BINARY, stamp: "s2" }];
        await build.restamp(PROJECT, learnt);
        expect([...(await build.stamps(PROJECT)).values()].sort((a, b) => (a.stamp < b.stamp ? -1 : 1))).toEqual(
          learnt,
        );
        expect((await store.views())[0]!.generation).toBe(1);
        expect(await stampsOf()).toEqual([
          ["big.bin", "s2"],
          [A.path, "s1"],
          [B.path, ""],
        ]);
      });

      test("are the newest stored ones, in another opener too", async () => {
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.put(batchOf([A]));
        await build.publish(publication([show(A)]));
        await build.restamp(PROJECT, [stamped(A, "s1")]);
        const reader = await open(false);
        expect(await stampsOf("main", PROJECT, reader)).toEqual([[A.path, "s1"]]);
        await build.restamp(PROJECT, [stamped(A, "s2")]);
        expect(await stampsOf("main", PROJECT, reader)).toEqual([[A.path, "s2"]]);
        await reader.close();
      });

      test("apply to every view that shows the version that was read, and to no other", async () => {
        await publishFiles(store, [A, B], { ref: "main", also: [BINARY] });
        await publishFiles(store, [A, B2], { ref: "feature", also: [{ path: BINARY.path, skip: "too_large" }] });
        const build = await store.begin(await takeLease(store), "feature", "update");
        await build.restamp(PROJECT, [stamped(A, "s1"), stamped(B2, "s2"), { ...BINARY, stamp: "s3" }]);
        expect(await stampsOf("feature")).toEqual([
          [A.path, "s1"],
          [B.path, "s2"],
        ]);
        expect(await stampsOf("main")).toEqual([
          ["big.bin", "s3"],
          [A.path, "s1"],
          [B.path, ""],
        ]);
      });

      test("belong to one work tree", async () => {
        await publishFiles(store, [A]);
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.restamp(PROJECT, [stamped(A, "s1")]);
        const other = "fedcba9876543210" as typeof PROJECT;
        expect((await build.stamps(other)).size).toBe(0);
        expect(await stampsOf("main", other)).toEqual([[A.path, ""]]);
      });

      test("are ignored if their version was removed or never stored", async () => {
        await publishFiles(store, [A, B], { publication: { publishedAt: env.time } });
        await publishFiles(store, [B2], { publication: { publishedAt: env.time } });
        const lease = await takeLease(store);
        const build = await store.begin(lease, "main", "update");
        await build.restamp(PROJECT, [stamped(A, "s1"), stamped(B, "s2"), stamped(C, "s3")]);
        expect([...(await build.stamps(PROJECT)).keys()].sort()).toEqual([A.path, B.path]);
        // At least the requested ones: an engine may return more.
        expect([...(await build.stamps(PROJECT, [A.path])).keys()]).toContain(A.path);
        expect([...(await build.stamps(PROJECT, ["src/"])).keys()].sort()).toEqual([A.path, B.path]);
        env.time += 24 * 3_600_000;
        await store.gc(lease);
        expect([...(await build.stamps(PROJECT)).keys()]).toEqual([A.path]);
      });

      test("are removed by a reset", async () => {
        await publishFiles(store, [A]);
        const first = await takeLease(store);
        await (await store.begin(first, "main", "update")).restamp(PROJECT, [stamped(A, "s1")]);
        await first.release();
        await publishFiles(store, [A], { mode: "reset" });
        expect(await stampsOf()).toEqual([[A.path, ""]]);
      });
    });

    describe("dump, restore and remove", () => {
      const dumped = async (from = store) => {
        const dump = await from.dump();
        const files = [];
        const plain = (bytes: Uint8Array) => new Uint8Array(bytes);
        for await (const file of dump.files()) {
          files.push({ ...file, record: plain(file.record), text: plain(file.text), facts: plain(file.facts) });
        }
        dump.release();
        const views = dump.views.map(({ info, entries }) => ({ ref: info.ref, commit: info.commit, entries }));
        return { views, files };
      };

      test("an empty store has an empty dump", async () => {
        expect(await dumped()).toEqual({ views: [], files: [] });
      });

      test("a dump contains what views show, in a fixed order, whatever the history", async () => {
        await publishFiles(store, [B, A], { also: [{ path: "big.bin", skip: "binary" }] });
        await publishFiles(store, [B2], { ref: "feat/x" });
        await publishFiles(store, [C]);
        await publishFiles(store, [], { also: [{ path: C.path, removed: true }], publication: { commit: "abc" } });
        const { views, files } = await dumped();
        expect(views).toEqual([
          { ref: "feat/x", commit: undefined, entries: [{ path: B.path, version: keyOf(B2) }] },
          {
            ref: "main",
            commit: "abc",
            entries: [
              { path: "big.bin", skip: "binary" },
              { path: A.path, version: keyOf(A) },
              { path: B.path, version: keyOf(B) },
            ],
          },
        ]);
        const both = [keyOf(B), keyOf(B2)].sort((a, b) => (a.contentHash < b.contentHash ? -1 : 1));
        expect(files.map(({ path, contentHash, extractor }) => ({ path, contentHash, extractor }))).toEqual([
          keyOf(A),
          ...both,
        ]);
        const { vectors: _, ...whole } = batchOf([A]).files[0]!;
        expect(files[0]).toEqual(whole);
      });

      test("a restore replaces everything at once", async () => {
        await publishFiles(store, [A]);
        const lease = await takeLease(store);
        const restoring = await store.restore(lease);
        const main = await restoring.begin("main");
        await main.put(batchOf([B, C]));
        await main.publish(publication([show(B), show(C)]));
        const branch = await restoring.begin("feat/x", { base: "main" });
        await branch.put(batchOf([B2]));
        await branch.publish(publication([show(B2)], { commit: "def" }));
        expect([await paths(), await paths("feat/x")]).toEqual([[A.path], undefined]);
        await restoring.commit();
        await restoring.abort();
        expect([await paths(), await paths("feat/x")]).toEqual([
          [C.path, B.path],
          [C.path, B.path],
        ]);
        await lease.release();
        expect(await store.verify("full")).toEqual([]);
        await publishFiles(store, [A]);
        expect(await paths()).toEqual([C.path, A.path, B.path]);
      });

      test("a restored dump gives the same dump", async () => {
        await publishFiles(store, [A, B], { also: [{ path: "big.bin", skip: "binary" }] });
        await publishFiles(store, [B2, C], { ref: "feat/x" });
        const before = await dumped();
        const other = await engine.stores.open(engine.freshLocation(), { create: true, project: PROJECT });
        const restoring = await other.restore(await takeLease(other));
        for (const { ref, entries } of before.views) {
          const build = await restoring.begin(ref);
          await build.put(batchOf(ref === "main" ? [A, B] : [B2, C]));
          await build.publish(publication(entries));
        }
        await restoring.commit();
        expect(await dumped(other)).toEqual(before);
        await other.close();
      });

      test("an aborted restore leaves the old state, and a lost lease restores nothing", async () => {
        await publishFiles(store, [A]);
        const lease = await takeLease(store);
        const restoring = await store.restore(lease);
        await (await restoring.begin("main")).put(batchOf([B]));
        await restoring.abort();
        expect(await paths()).toEqual([A.path]);
        const again = await store.restore(lease);
        await lease.release();
        const next = await takeLease(store);
        await expect(again.commit()).rejects.toEqual(refused("index_in_progress"));
        expect(await paths()).toEqual([A.path]);
        await next.release();
      });

      test("a dump is one consistent state while others publish", async () => {
        await publishFiles(store, [A]);
        const dump = await store.dump();
        await publishFiles(store, [B]);
        const files = [];
        for await (const file of dump.files()) files.push(file.path);
        dump.release();
        expect(files).toEqual([A.path]);
      });

      test("removed views are gone, and gc removes what only they showed", async () => {
        await publishFiles(store, [A]);
        await publishFiles(store, [B2, A], { ref: "feat/x" });
        env.time += 3_600_000;
        const lease = await takeLease(store);
        expect(await store.forget(lease, ["feat/x", "none"])).toEqual([
          { ref: "feat/x", outcome: "forgotten" },
          { ref: "none", outcome: "unknown" },
        ]);
        expect((await store.gc(lease)).versionsRemoved).toBe(1);
        await lease.release();
        expect([await paths(), await paths("feat/x")]).toEqual([[A.path], undefined]);
        expect(await store.verify("full")).toEqual([]);
        await publishFiles(store, [B2], { ref: "feat/x" });
        expect(await paths("feat/x")).toEqual([B.path]);
      });
    });

    describe("versions", () => {
      test("records are found by version, whichever view shows them", async () => {
        await publishFiles(store, [A]);
        await publishFiles(store, [B2], { ref: "feat/x" });
        const found = await store.records([keyOf(A), keyOf(B), keyOf(B2)]);
        expect([...found]).toEqual([
          [versionKeyText(keyOf(A)), testRecord(A)],
          [versionKeyText(keyOf(B2)), testRecord(B2)],
        ]);
      });

      test("known distinguishes versions by path, content and extractor", async () => {
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.put(batchOf([A]));
        const other = [{ ...keyOf(A), path: "other" }, { ...keyOf(A), extractor: "test@2" }, keyOf(B)];
        expect([...(await build.known([keyOf(A), ...other]))]).toEqual([versionKeyText(keyOf(A))]);
      });

      test("storing a version twice keeps one", async () => {
        const build = await store.begin(await takeLease(store), "main", "update");
        await build.put(batchOf([A, B]));
        await build.put(batchOf([B, C]));
        await build.put(batchOf([A]));
        await build.publish(publication([show(A), show(B), show(C)]));
        expect((await search("token")).matched).toBe(2);
        expect(await store.verify("full")).toEqual([]);
      });
    });

    describe("coverage and jobs", () => {
      test("counts files, symbols, chunks, languages and skips, and keeps the counts right", async () => {
        await publishFiles(store, [A, B, C], {
          also: [
            { path: "x.bin", skip: "binary" },
            { path: "y.bin", skip: "binary" },
          ],
          publication: { uncounted: { ignored: 3, hidden: 0 }, commit: "c0ffee" },
        });
        const [first] = await store.views();
        expect(first).toMatchObject({
          ref: "main",
          commit: "c0ffee",
          fileCount: 3,
          symbolCount: 3,
          chunkCount: 6,
          coverage: { filesIndexed: 3, filesSkipped: 5, skippedReasons: { binary: 2, ignored: 3 } },
          languages: [
            { language: "go", files: 1 },
            { language: "markdown", files: 1 },
            { language: "rust", files: 1 },
          ],
        });
        await publishFiles(store, [{ path: "x.bin", text: "def now text" }], {
          also: [
            { path: C.path, removed: true },
            { path: "y.bin", removed: true },
            { path: "never.was", removed: true },
          ],
        });
        const { info } = (await store.snapshot("main"))!;
        expect(info).toMatchObject({
          fileCount: 3,
          symbolCount: 4,
          chunkCount: 5,
          coverage: { filesIndexed: 3, filesSkipped: 0, skippedReasons: {} },
        });
        expect(info.commit).toBeUndefined();
        expect(info.languages.map((it) => it.language)).toEqual(["go", "rust", "text"]);
        expect((await store.views())[0]).toEqual(info);
      });

      test("a file that its parser abandoned is counted with the skipped ones while a view shows it", async () => {
        const reasons = async (ref: string) => (await store.snapshot(ref))!.info.coverage.skippedReasons;
        const givenUp = { ...A, problem: "parse_timeout" } as const;
        await publishFiles(store, [givenUp, { ...B, problem: "parse_error" }], {
          also: [{ path: "x.bin", skip: "binary" }],
        });
        expect((await store.snapshot("main"))!.info.coverage).toEqual({
          filesIndexed: 2,
          filesSkipped: 2,
          skippedReasons: { binary: 1, parse_gave_up: 1 },
        });
        await publishFiles(store, [givenUp], { ref: "other" });
        await publishFiles(store, [{ ...A, text: "def parsed now" }]);
        expect(await reasons("main")).toEqual({ binary: 1 });
        expect(await reasons("other")).toEqual({ parse_gave_up: 1 });
      });

      test("a skipped path has a reason", async () => {
        await publishFiles(store, [A], { also: [{ path: "k.pem", skip: "secret" }] });
        const snapshot = (await store.snapshot("main"))!;
        expect(await snapshot.skipped("k.pem")).toBe("secret");
        expect(await snapshot.skipped(A.path)).toBeUndefined();
        expect(await snapshot.file("k.pem")).toBeUndefined();
      });

      test("a view reports the extractor version of its files", async () => {
        await publishFiles(store, [A, B]);
        const snapshot = (await store.snapshot("main"))!;
        expect(await snapshot.extractor()).toBe(keyOf(A).extractor);
      });

      test("problems are listed by path", async () => {
        await publishFiles(store, [{ ...C, problem: "parse_error" }, A, { ...B, problem: "parse_error" }]);
        const snapshot = (await store.snapshot("main"))!;
        expect(await snapshot.problems(10)).toEqual([C, B].map(({ path }) => ({ path, problem: "parse_error" })));
        expect(await snapshot.problems(1)).toHaveLength(1);
      });

      test("jobs are listed newest first and replaced by id", async () => {
        await store.recordJob(testJob("one", { startedAt: 1 }), processIdentity(1));
        await store.recordJob(testJob("two", { startedAt: 2 }), processIdentity(1));
        await store.recordJob(testJob("one", { startedAt: 1, status: "published", finishedAt: 5 }), processIdentity(1));
        expect((await store.jobs(9)).map((job) => `${job.id}:${job.status}`)).toEqual(["two:running", "one:published"]);
        expect(await store.jobs(1)).toHaveLength(1);
      });

      test("a running job of a dead owner becomes interrupted, for readers and permanently", async () => {
        await store.recordJob(testJob("one"), processIdentity(7));
        env.dead.add(7);
        const reader = await open(false);
        expect((await reader.jobs(1))[0]!.status).toBe("interrupted");
        await takeLease(store, processIdentity(2));
        env.dead.delete(7);
        if (store.caps().sharedReaders) expect((await reader.jobs(1))[0]!.status).toBe("interrupted");
        await reader.close();
      });
    });
  });
}

/** Locations by score with the port's precision, ties by name. */
function inOrder(scored: readonly { readonly at: string; readonly score: number }[]): string[] {
  const digits = (score: number) => Number(score.toFixed(9));
  const sorted = scored.toSorted((a, b) => digits(b.score) - digits(a.score) || (a.at < b.at ? -1 : 1));
  return sorted.map(({ at }) => at);
}

function referenceScores(files: readonly TextFile[], query: readonly string[]): { at: string; score: number }[] {
  const docs = files.flatMap((file) => {
    const chunks = file.text.split("\n\n").filter((chunk) => chunk.trim() !== "");
    return chunks.map((chunk, at) => ({
      at: `${file.path}#${at}`,
      path: file.path,
      chunk: at,
      words: (chunk.match(/\w+/g) ?? []).map((word) => word.toLowerCase()),
    }));
  });
  const average = docs.reduce((sum, doc) => sum + doc.words.length, 0) / docs.length;
  const scored = docs.map((doc) => {
    let score = 0;
    for (const term of query) {
      const n = docs.filter((it) => it.words.includes(term)).length;
      const count = doc.words.filter((word) => word === term).length;
      const idf = Math.log(1 + (docs.length - n + 0.5) / (n + 0.5));
      score += (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * doc.words.length) / average));
    }
    return { ...doc, score };
  });
  const round = (score: number) => Math.round(score * 1e9);
  return scored
    .filter((doc) => doc.score > 0)
    .sort(
      (a, b) =>
        round(b.score) - round(a.score) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) || a.chunk - b.chunk,
    );
}

/** What every store must do with vectors. `store.test.ts` runs it on each engine. */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { FileId } from "../../src/model/ids.ts";
import type { DenseQuery } from "../../src/ports/candidates.ts";
import type { Store } from "../../src/ports/store.ts";
import type { FileBatch } from "../../src/ports/versions.ts";
import { batchOf, PROJECT, publication, show, type TestEnv, type TextFile, takeLease, testEnv } from "../kit/store.ts";
import { encodeTestVectors, MODEL, vectorBatch, vectorFile } from "../kit/vectors.ts";
import type { Engine } from "./store.ts";

const OTHER = "b".repeat(64);

const A = vectorFile("src/a.rs", [
  [100, 0, 0, 0],
  [0, 100, 0, 0],
]);
const B = vectorFile("src/b.go", [[90, 90, 0, 0]], "go");
const C = vectorFile("docs/c.md", [[100, 0, 0, 0]], "markdown");
const X = Float32Array.of(1, 0, 0, 0);

export function describeDense(name: string, engineOf: (env: TestEnv) => Engine): void {
  describe(`vectors: ${name}`, () => {
    let store: Store;

    beforeEach(async () => {
      const engine = engineOf(testEnv());
      store = await engine.stores.open(engine.freshLocation(), { create: true, project: PROJECT });
      return () => store.close();
    });

    const publish = async (batch: FileBatch, files: readonly TextFile[], ref = "main") => {
      const lease = await takeLease(store);
      const build = await store.begin(lease, ref, "update");
      await build.put(batch);
      await build.publish(publication(files.map(show)));
      await lease.release();
    };
    const ask = async (query: Partial<DenseQuery> = {}, ref = "main") => {
      const snapshot = (await store.snapshot(ref))!;
      const page = await snapshot.dense({ model: MODEL, vector: X, limit: 10, ...query });
      snapshot.release();
      return page;
    };
    const places = async (query: Partial<DenseQuery> = {}, ref = "main") =>
      (await ask(query, ref)).candidates.map(({ file, chunk }) => `${file.path}#${chunk}`);

    test("orders by similarity, ties by path", async () => {
      await publish(vectorBatch([A, B, C]), [A, B, C]);
      const page = await ask();
      expect(await places()).toEqual(["docs/c.md#0", "src/a.rs#0", "src/b.go#0", "src/a.rs#1"]);
      expect(page.candidates.map(({ similarity }) => similarity.toFixed(3))).toEqual([
        "1.000",
        "1.000",
        "0.707",
        "0.000",
      ]);
      expect(page).toMatchObject({ matched: 4, embedded: 4, chunks: 4 });
    });

    test("applies the limit after sorting, and the minimum similarity", async () => {
      await publish(vectorBatch([A, B, C]), [A, B, C]);
      expect(await places({ limit: 1 })).toEqual(["docs/c.md#0"]);
      expect(await ask({ limit: 1, least: 0.5 })).toMatchObject({ matched: 3 });
      expect(await ask({ limit: 0, least: 0.99 })).toMatchObject({ matched: 2, candidates: [] });
    });

    test("K14: a scope is ranked within itself", async () => {
      const noise = Array.from({ length: 8 }, (_, i) => vectorFile(`src/noise${i}.rs`, [[100, 0, 0, 0]]));
      const scoped = vectorFile("scoped/it.go", [[10, 90, 0, 0]], "go");
      await publish(vectorBatch([...noise, scoped]), [...noise, scoped]);
      expect(await places({ limit: 3, under: "./scoped/" })).toEqual(["scoped/it.go#0"]);
      expect(await places({ limit: 3, under: "scoped/it.go" })).toEqual(["scoped/it.go#0"]);
      expect(await places({ limit: 3, languages: ["go"] })).toEqual(["scoped/it.go#0"]);
      expect(await places({ limit: 3, under: "scop" })).toEqual([]);
      expect(await places({ limit: 3, keeps: (path) => path.endsWith(".go") })).toEqual(["scoped/it.go#0"]);
      expect(await places({ limit: 3, keeps: (path) => path.endsWith(".go"), under: "src" })).toEqual([]);
    });

    test("returns the similarity of named files, chunk by chunk", async () => {
      await publish(vectorBatch([A, B]), [A, B]);
      const snapshot = (await store.snapshot("main"))!;
      const [a, b] = await snapshot.files();
      snapshot.release();
      const also = [b!, a!, { ...a!, id: 999 as FileId }];
      const { also: found } = await ask({ limit: 0, also });
      const shown = found.map((chunks) => chunks && Array.from(chunks, (similarity) => similarity.toFixed(3)));
      expect(shown).toEqual([["0.707"], ["1.000", "0.000"], undefined]);
      expect((await ask({ limit: 1, also })).also).toEqual(found);
    });

    test("models are never mixed", async () => {
      await publish(vectorBatch([A]), [A]);
      await publish(vectorBatch([B], OTHER), [B]);
      expect(await places()).toEqual(["src/a.rs#0", "src/a.rs#1"]);
      expect(await places({ model: OTHER })).toEqual(["src/b.go#0"]);
      expect(await ask({ model: OTHER })).toMatchObject({ embedded: 1, chunks: 3 });
      expect(await places({ model: "c".repeat(64) })).toEqual([]);
    });

    test("vectors can be added later, and the next publish shows them", async () => {
      await publish(batchOf([A, B]), [A, B]);
      expect(await ask()).toMatchObject({ embedded: 0, chunks: 3, matched: 0 });
      const snapshot = (await store.snapshot("main"))!;
      const missing = await snapshot.unembedded(MODEL, 10);
      expect(missing.map(({ path }) => path)).toEqual(["src/a.rs", "src/b.go"]);
      expect(await snapshot.unembedded(MODEL, 1)).toHaveLength(1);
      snapshot.release();
      const lease = await takeLease(store);
      const build = await store.begin(lease, "main", "update");
      await build.putVectors(
        MODEL,
        missing.map((file, i) => ({ file: file.id, vectors: encodeTestVectors([A, B][i]!.vectors) })),
      );
      await build.publish(publication([]));
      expect(await places()).toEqual(["src/a.rs#0", "src/b.go#0", "src/a.rs#1"]);
      const after = (await store.snapshot("main"))!;
      expect(await after.unembedded(MODEL, 10)).toEqual([]);
      after.release();
    });

    test("a ref sees only its own files, and no removed file", async () => {
      await publish(vectorBatch([A]), [A]);
      await publish(vectorBatch([B]), [B], "feature");
      expect(await places({}, "feature")).toEqual(["src/b.go#0"]);
      const lease = await takeLease(store);
      const build = await store.begin(lease, "main", "update");
      await build.publish(publication([{ path: A.path, removed: true }]));
      expect(await places()).toEqual([]);
    });

    test("a changed file is compared by its new vectors; an old snapshot keeps the old ones", async () => {
      await publish(vectorBatch([A, B]), [A, B]);
      const before = (await store.snapshot("main"))!;
      expect(await before.dense({ model: MODEL, vector: X, limit: 1 })).toMatchObject({ matched: 3 });
      const changed = { ...A, text: "other\n\nwords", vectors: [[0, 0, 50, 0] as const, [0, 0, 0, 50] as const] };
      await publish(vectorBatch([changed]), [changed]);
      expect(await places({ least: 0.1 })).toEqual(["src/b.go#0"]);
      const old = await before.dense({ model: MODEL, vector: X, limit: 1 });
      expect(old.candidates[0]).toMatchObject({ file: { path: "src/a.rs" }, chunk: 0 });
      before.release();
    });

    test("a chunk with a zero vector has no similarity", async () => {
      const empty = vectorFile("src/e.rs", [[0, 0, 0, 0]]);
      await publish(vectorBatch([empty]), [empty]);
      expect((await ask()).candidates).toMatchObject([{ similarity: 0 }]);
    });

    test("an aborted signal ends a call with its reason", async () => {
      await publish(vectorBatch([A]), [A]);
      const snapshot = (await store.snapshot("main"))!;
      const signal = AbortSignal.abort(new Error("enough"));
      await expect(snapshot.dense({ model: MODEL, vector: X, limit: 1 }, { signal })).rejects.toThrow("enough");
      snapshot.release();
    });

    test("answers equal a brute-force computation on random vectors", async () => {
      const byte = fc.integer({ min: -127, max: 127 });
      const row = fc.tuple(byte, byte, byte, byte);
      const corpus = fc.array(fc.array(row, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(corpus, row, async (files, asked) => {
          const all = files.map((vectors, i) => vectorFile(`f${i}.rs`, vectors));
          const engine = engineOf(testEnv());
          store = await engine.stores.open(engine.freshLocation(), { create: true, project: PROJECT });
          await publish(vectorBatch(all), all);
          const vector = Float32Array.from(asked);
          const { candidates } = await ask({ vector, limit: 100 });
          const byHand = all.flatMap(({ vectors }, i) =>
            vectors.map((it, chunk) => [`f${i}.rs`, chunk, cosine(it, asked)] as const),
          );
          expect(candidates).toHaveLength(byHand.length);
          for (const { file, chunk, similarity } of candidates) {
            const expected = byHand.find(([path, at]) => path === file.path && at === chunk)![2];
            expect(similarity).toBeCloseTo(expected, 3);
          }
          const order = candidates.map(({ similarity }) => similarity);
          expect(order).toEqual(order.toSorted((a, b) => b - a));
          await store.close();
        }),
        { numRuns: 25 },
      );
    });
  });
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const length = Math.hypot(...a) * Math.hypot(...b);
  return length === 0 ? 0 : dot / length;
}

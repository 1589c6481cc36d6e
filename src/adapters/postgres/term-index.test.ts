import { afterAll, describe, expect, test } from "vitest";
import { onTestDatabase } from "../../../test/kit/database-tests.ts";
import { collectGarbage, PROJECT, publishFiles, removal, type TextFile, testEnv } from "../../../test/kit/store.ts";
import { parse } from "../../regex/parse.ts";
import { trigramPlan } from "../../regex/plan.ts";
import { postgresStores } from "./stores.ts";

const LONG = 20 * 60_000;

await onTestDatabase((database) =>
  describe("files that are found together", () => {
    let now = 0;
    const nameOf = (location: string) => ({ key: location, name: location });
    const stores = postgresStores({ url: database.url, env: testEnv(), clock: async () => now, nameOf });
    const catalog = stores.shared!;
    afterAll(async () => {
      await stores.close();
      await database.drop();
    });

    const publish = async (name: string, files: readonly TextFile[], away: readonly string[] = []) => {
      const store = await stores.open(name, { create: true, project: PROJECT });
      const publication = { publishedAt: now };
      await publishFiles(store, files, { ref: "refs/heads/main", also: away.map(removal), publication });
      await store.close();
    };
    const collect = async (name: string) => {
      now += LONG;
      const store = await stores.open(name, { create: true, project: PROJECT });
      await collectGarbage(store);
      await store.close();
    };
    const bunches = async (name: string) => {
      const sql = `SELECT f.version::integer AS first, f.files, f.run IS NULL AS single FROM codecompass.findable f
        JOIN codecompass.repository r ON r.id = f.repo WHERE r.name = $1 ORDER BY f.version`;
      return database.sql(sql, [name]);
    };
    /** Candidates are a few more than what matches. */
    const holding = async (name: string, pattern: string) => {
      const { files } = await catalog.holding(trigramPlan(parse(pattern, {})), { limit: 200, names: [name] });
      const texts = await catalog.contents("text", files);
      const right = files.filter((_, at) => new RegExp(pattern).test(texts[at]!));
      expect(files.length - right.length).toBeLessThanOrEqual(3);
      return right.map(({ path }) => path);
    };
    const words = ["amber", "birch", "cedar", "daisy", "ebony", "fern", "ginger", "hazel", "iris", "jasmine"];
    const fileOf = (at: number) => ({
      path: `f${String(at).padStart(2, "0")}.ts`,
      text: `${words[at % 10]} ${words[Math.floor(at / 10)]} ${`unique${at}x`}`,
    });
    const many = Array.from({ length: 70 }, (_, at) => fileOf(at));
    const paths = (...places: number[]) => places.map((at) => many[at]!.path);

    test("each is found by what it holds", async () => {
      await publish("together", many);
      expect(await bunches("together")).toEqual([
        { first: 1, files: 64, single: false },
        { first: 65, files: 6, single: false },
      ]);
      expect(await holding("together", "unique41x")).toEqual(paths(41));
      expect(await holding("together", "birch cedar|cedar birch")).toEqual(paths(12, 21));
      expect(await holding("together", "jasmine.*fern")).toEqual(paths(59));
      expect(await holding("together", "nowhere")).toEqual([]);
      expect((await holding("together", "amber")).length).toBe(16);
    });

    const named = async (...terms: string[]) => catalog.withTerms(terms, { most: 9 });

    test("the repository whose best chunk has most of the words comes first, rare words before common ones", async () => {
      const long = Array.from({ length: 200 }, (_, at) => `filler${at}`).join(" ");
      await publish("mentions", [{ path: "a.ts", text: `quokka ${long}` }]);
      await publish("speaks", [{ path: "a.ts", text: "quokka zebra quokka" }]);
      await publish("zebras", [{ path: "a.ts", text: `zebra ${long} other` }]);
      for (let at = 0; at < 6; at++) await publish(`more${at}`, [{ path: "a.ts", text: `zebra ${at}` }]);
      expect((await named("quokka")).names).toEqual(["speaks", "mentions"]);
      expect(await named("quokka", "zebra")).toEqual({ names: ["speaks"], all: true });
      expect((await named("zebra")).names).toHaveLength(8);
      expect(await catalog.withTerms(["zebra"], { most: 3 })).toMatchObject({ names: { length: 3 }, all: false });
      // No repository has both; of those that have one, five were left out.
      expect(await catalog.withTerms(["zebra", "nowhere"], { most: 3 })).toMatchObject({ all: false });
      // It holds both, and so far from each other that it is not worth asking: that is said.
      await publish("barely", [{ path: "a.ts", text: `quokka ${long.repeat(9)} zebra` }]);
      expect(await named("quokka", "zebra")).toEqual({ names: ["speaks"], all: false });
    });

    test("rows of a release before are found, too", async () => {
      await database.sql(`UPDATE codecompass.findable f SET words =
        (SELECT array_to_tsvector(array_agg(left(w, -1))) FROM unnest(tsvector_to_array(f.words)) w)
        WHERE f.repo = (SELECT id FROM codecompass.repository WHERE name = 'speaks')`);
      expect((await named("quokka")).names.toSorted()).toEqual(["mentions", "speaks"]);
      const many = Array.from({ length: 300 }, (_, at) => `nobody${at}`);
      for (const names of [["speaks"], ["speaks", ...many]])
        expect((await catalog.withTerms(["quokka"], { names, most: 9 })).names).toEqual(["speaks"]);
      expect((await catalog.withTerms(["quokka"], { names: [], most: 9 })).names).toEqual([]);
    });

    test("a release before, which looks for words without a tier, is refused and not told that there are none", async () => {
      await expect(database.sql("SELECT terms FROM codecompass.findable")).rejects.toThrow(/"terms" does not exist/);
      await expect(database.sql("SELECT 1 FROM codecompass.found")).rejects.toThrow(
        /"codecompass.found" does not exist/,
      );
    });

    test("a single one is a row as releases before wrote them", async () => {
      await publish("alone", [many[0]!]);
      expect(await bunches("alone")).toEqual([{ first: 1, files: 1, single: true }]);
      expect(await holding("alone", "unique0x")).toEqual(paths(0));
    });

    test("a replaced file is not found, and its row stays until most of its group is gone", async () => {
      await publish("thinned", many);
      await publish("thinned", [{ path: many[3]!.path, text: "changed unique3x" }], paths(4, 5));
      await collect("thinned");
      expect((await bunches("thinned")).map(({ files }) => files)).toEqual([64, 6, 1]);
      expect(await holding("thinned", "unique[3-6]x")).toEqual(paths(3, 6));
      expect(await holding("thinned", "daisy amber")).toEqual([]);
    });

    test("the rest of a mostly deleted group is found file by file", async () => {
      await publish(
        "thinned",
        [],
        many.slice(6, 60).map(({ path }) => path),
      );
      await collect("thinned");
      expect(await bunches("thinned")).toEqual([
        ...[1, 2, 3, 61, 62, 63, 64].map((first) => ({ first, files: 1, single: true })),
        { first: 65, files: 6, single: false },
        { first: 71, files: 1, single: true },
      ]);
      expect(await holding("thinned", "unique\\d+x")).toEqual([
        ...paths(0, 1, 2, 3),
        ...many.slice(60).map((f) => f.path),
      ]);
      expect(await holding("thinned", "unique(1|61)x")).toEqual(paths(1, 61));
      const words = await catalog.withTerms(["unique61x"], { names: ["thinned"], most: 9 });
      expect(words.names).toEqual(["thinned"]);
    });

    test("a group without files is removed", async () => {
      await publish(
        "thinned",
        [],
        many.slice(64).map(({ path }) => path),
      );
      await collect("thinned");
      expect((await bunches("thinned")).map(({ first }) => first)).toEqual([1, 2, 3, 61, 62, 63, 64, 71]);
      const runs = await database.sql(`SELECT DISTINCT m.run::integer FROM codecompass.mask m
        JOIN codecompass.repository r ON r.id = m.repo WHERE r.name = 'thinned' ORDER BY 1`);
      expect(runs).toEqual([]);
    });
  }),
);

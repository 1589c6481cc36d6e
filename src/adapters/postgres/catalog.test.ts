import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onTestDatabase } from "../../../test/kit/database-tests.ts";
import { PROJECT, publication, putMissing, show, type TextFile, takeLease, testEnv } from "../../../test/kit/store.ts";
import type { CatalogedFile, CatalogFileQuery } from "../../ports/catalog.ts";
import { parse } from "../../regex/parse.ts";
import { trigramPlan } from "../../regex/plan.ts";
import { postgresStores } from "./stores.ts";

const MAIN = "refs/heads/main";

interface Publishing {
  readonly ref?: string;
  /** The view that this one is kept as a difference to. */
  readonly base?: string;
  readonly gone?: readonly string[];
}

const REPOSITORIES: Readonly<Record<string, readonly TextFile[]>> = {
  "h/acme/api": [
    { path: "auth.rs", text: "def validate token user\n\nsession token" },
    { path: "db.rs", text: "connection pool user" },
  ],
  "h/acme/web": [
    { path: "it's.ts", text: "quote ' & | ! ( back \\ slash" },
    { path: "login.ts", text: "token session user form" },
  ],
  "h/zoo": [{ path: "a.py", text: "form pool" }],
};

await onTestDatabase((database) =>
  describe("a catalog", () => {
    const { url } = database;
    const nameOf = (location: string) => ({ key: location.replaceAll("/", "_"), name: location });
    const stores = postgresStores({ url, env: testEnv(), clock: async () => 0, nameOf });
    const catalog = stores.shared!;
    const publish = async (
      name: string,
      files: readonly TextFile[],
      { ref = MAIN, base, gone = [] }: Publishing = {},
    ) => {
      const store = await stores.open(name, { create: true, project: PROJECT });
      const lease = await takeLease(store);
      const build = await store.begin(lease, ref, "update", base === undefined ? {} : { base });
      await putMissing(build, files);
      const removed = gone.map((path) => ({ path, removed: true }) as const);
      await build.publish(publication([...files.map((file) => show(file)), ...removed]));
      await lease.release();
      await store.close();
    };

    beforeAll(async () => {
      expect(await catalog.repositories({ prefix: "" })).toEqual([]);
      for (const [name, files] of Object.entries(REPOSITORIES)) await publish(name, files);
    });
    afterAll(async () => {
      await stores.close();
      await database.drop();
    });

    const shown = ({ files }: { files: readonly CatalogedFile[] }) =>
      files.map(({ repository, path }) => `${repository}:${path}`);
    const holding = (pattern: string, ask: Partial<CatalogFileQuery> = {}) =>
      catalog.holding(trigramPlan(parse(pattern, {})), { limit: 10, ...ask });
    const words = async (...terms: string[]) => (await catalog.withTerms(terms, { most: 9 })).names;

    test("names", async () => {
      expect((await catalog.repositories({ prefix: "h/acme/" })).map(({ name }) => name)).toEqual([
        "h/acme/api",
        "h/acme/web",
      ]);
      const [found] = await catalog.repositories({ names: ["h/zoo"] });
      const store = await stores.open(found!.location, { create: false, project: PROJECT });
      expect(found!.name).toBe("h/zoo");
      await store.close();
      expect(await catalog.repositories({ names: ["h/zo"] })).toEqual([]);
    });

    test.each([
      [["token"], ["h/acme/api", "h/acme/web"]],
      [
        ["validate", "token", "form"],
        ["h/acme/api", "h/acme/web"],
      ],
      [["nowhere"], []],
      [
        ["pool", "form"],
        ["h/acme/api", "h/acme/web", "h/zoo"],
      ],
      [
        ["validate", "form"],
        ["h/acme/api", "h/acme/web", "h/zoo"],
      ],
      [[], []],
      [["'; DROP TABLE x; --", "a & b", "\0"], []],
      [["quote"], ["h/acme/web"]],
    ])("repositories with the words %j", async (terms, expected) =>
      expect((await words(...terms)).toSorted()).toEqual(expected),
    );

    test("tables of a newer release that this one cannot read are refused, and not said to be empty", async () => {
      const newest = "version = (SELECT max(version) FROM codecompass.migration)";
      await database.sql(`UPDATE codecompass.migration SET compatible_from = 99 WHERE ${newest}`);
      for (const ask of [() => words("user"), () => holding("user")])
        await expect(ask()).rejects.toThrow(/was prepared by a newer release/);
      await database.sql(`UPDATE codecompass.migration SET compatible_from = version WHERE ${newest}`);
    });

    test("those with all words come first, within the names asked", async () => {
      expect((await words("pool", "form"))[0]).toBe("h/zoo");
      expect(await catalog.withTerms(["user"], { names: ["h/acme/web", "h/zoo"], most: 9 })).toEqual({
        names: ["h/acme/web"],
        all: true,
      });
    });

    test("files that may match, by repository and path", async () => {
      expect(shown(await holding("session"))).toEqual(["h/acme/api:auth.rs", "h/acme/web:login.ts"]);
      expect(shown(await holding("pool|form"))).toEqual(["h/acme/api:db.rs", "h/acme/web:login.ts", "h/zoo:a.py"]);
      expect(shown(await holding("back \\\\ slash"))).toEqual(["h/acme/web:it's.ts"]);
      expect(await holding("nowhere")).toEqual({ files: [], more: false });
      expect(shown(await holding("form", { names: ["h/zoo"] }))).toEqual(["h/zoo:a.py"]);
    });

    // What no trigram narrows is listed repository by repository: the other way to the same order.
    test.each(["session|pool", "."])("%s goes on where it stopped", async (pattern) => {
      const all = shown(await holding(pattern, { limit: 40 }));
      const seen: string[] = [];
      for (let from: CatalogFileQuery["from"]; ; ) {
        const page = await holding(pattern, { limit: 1, ...(from && { from }) });
        seen.push(...shown(page));
        if (!page.more) break;
        const last = page.files[0]!;
        from = { repository: last.repository, path: `${last.path}\u0001` };
      }
      expect(seen).toEqual(all);
      expect(all.length).toBe(pattern === "." ? 5 : 4);
    });

    test("a pattern that is in very many files is answered by repository, page by page, and within names", async () => {
      const many = Array.from({ length: 650 }, (_, at) => ({
        path: `m${String(at).padStart(3, "0")}.ts`,
        text: `everywhere ${at}`,
      }));
      await publish("h/many", many);
      await publish("h/more", many.slice(0, 40));
      const seen: string[] = [];
      for (let from: CatalogFileQuery["from"]; ; ) {
        const page = await holding("everywhere|nowhere at all", { limit: 256, ...(from && { from }) });
        expect(page.files.length).toBeLessThanOrEqual(256);
        seen.push(...shown(page));
        if (!page.more) break;
        const last = page.files.at(-1)!;
        from = { repository: last.repository, path: `${last.path}\u0001` };
      }
      const of = (name: string, count: number) => many.slice(0, count).map(({ path }) => `${name}:${path}`);
      expect(seen).toEqual([...of("h/many", 650), ...of("h/more", 40)]);
      const names = ["h/more", ...Array.from({ length: 600 }, (_, at) => `h/none-${at}`)];
      for (const some of [names.slice(0, 2), names])
        expect(shown(await holding("everywhere", { names: some, limit: 256 }))).toEqual(of("h/more", 40));
    });

    test("a pattern that many repositories seem to hold, and few do, is answered in their order, page by page", async () => {
      const named = (kind: string, at: number) => `h/s/${kind}${String(at).padStart(3, "0")}`;
      // One file has one word, another has the other: what the index knows of both together rules out neither repository.
      const near = [
        { path: "a.ts", text: "leftmost" },
        { path: "b.ts", text: "rightmost" },
      ];
      const held = Array.from({ length: 25 }, (_, at) => ({
        path: `f${String(at).padStart(2, "0")}.ts`,
        text: `leftmost ${at} rightmost`,
      }));
      const nears = Array.from({ length: 60 }, (_, at) => named("near", at));
      const right = Array.from({ length: 26 }, (_, at) => named("right", at));
      for (const name of nears) await publish(name, near);
      for (const name of right) await publish(name, held);
      const all = right.flatMap((name) => held.map(({ path }) => `${name}:${path}`));
      const paged = async (ask: Partial<CatalogFileQuery>) => {
        const seen: string[] = [];
        for (let from: CatalogFileQuery["from"]; ; ) {
          const page = await holding("leftmost.*rightmost", { limit: 256, ...ask, ...(from && { from }) });
          seen.push(...shown(page));
          if (!page.more) return seen;
          const last = page.files.at(-1)!;
          from = { repository: last.repository, path: `${last.path}\u0001` };
        }
      };
      // The second time it is known to be scattered.
      for (const _ of [1, 2]) expect(await paged({})).toEqual(all);
      const names = [...nears, ...right.slice(1)];
      for (const _ of [1, 2]) expect(await paged({ names })).toEqual(all.slice(held.length));
      expect(await paged({ names: nears })).toEqual([]);
    });

    test("texts and records come in the order asked, from all of them at once", async () => {
      const { files } = await holding("quote|validate");
      const expected = [REPOSITORIES["h/acme/api"]![0]!.text, REPOSITORIES["h/acme/web"]![0]!.text];
      expect(await catalog.contents("text", files)).toEqual(expected);
      expect(await catalog.contents("text", files.toReversed())).toEqual(expected.toReversed());
      const records = await catalog.contents("record", files);
      expect(records.map((record) => record!.symbols.length)).toEqual([1, 0]);
    });

    test.each(["session", "[^q]"])("only what the default view shows now: %s", async (pattern) => {
      const name = `h/moves${pattern.length}`;
      const own = async () => shown(await holding(pattern, { names: [name] }));
      await publish(name, [{ path: "a.ts", text: "session one" }], { ref: "refs/heads/feat" });
      expect(await own()).toEqual([`${name}:a.ts`]);
      await publish(name, [{ path: "b.ts", text: "session two" }]);
      expect(await own()).toEqual([`${name}:b.ts`]);
      await publish(name, [{ path: "mine.ts", text: "session mine" }], { ref: "worktree:0123" });
      expect(await own()).toEqual([`${name}:b.ts`]);
      await publish(name, [{ path: "c.ts", text: "session three" }], { gone: ["b.ts"] });
      expect(await own()).toEqual([`${name}:c.ts`]);
    });

    test.each(["session", "[^q]"])("a view over a base shows what it does not change: %s", async (pattern) => {
      const name = `h/over${pattern.length}`;
      const files = ["a.ts", "b.ts", "c.ts"].map((path) => ({ path, text: `session ${path}` }));
      await publish(name, files, { ref: "base" });
      await publish(name, [files[0]!, { path: "b.ts", text: "session changed" }], { base: "base", gone: ["c.ts"] });
      const { files: found } = await holding(pattern, { names: [name] });
      expect(found.map(({ path }) => path)).toEqual(["a.ts", "b.ts"]);
      expect(await catalog.contents("text", found)).toEqual(["session a.ts", "session changed"]);
    });
  }),
);

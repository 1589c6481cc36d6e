import { describe, expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import type { SearchRequest } from "../model/search.ts";
import { explain } from "./explain.ts";
import { locate } from "./locate.ts";
import { search } from "./search.ts";

const repo = indexTree({
  "src/form.ts":
    "export function createFormPostRequest(form: Form): Request {\n  return encode(form);\n}\n\nexport class Form {\n  fields = [];\n}\n",
  "src/request.ts":
    "export function createRequest(form: string) {\n  // a form is posted by a post request\n  return { form };\n}\n\nexport function postForm(request: Request) {\n  return request;\n}\n",
  "src/client.ts":
    'import { createFormPostRequest } from "./form";\n\nexport const send = () => createFormPostRequest(form);\n',
  "tests/form.test.ts": "test(() => createFormPostRequest(new Form()));\n",
  "src/long.ts": "export const createFormPostRequestOptions = 1;\n",
  "docs/guide.md": "# Guide\n\nThe session is closed at once.\n",
  "src/init_db.py": "def init_db_command():\n    return INIT_DB_COMMAND\n\nINIT_DB_COMMAND = 'init'\n",
});

const ask = async (query: string, more: Partial<SearchRequest> = {}) => {
  const { at, ids } = await repo;
  return search({ query, limit: 20, ...more }, at, ids);
};

describe("a name that occurs", () => {
  test("its definition, then what contains it, then the rest", async () => {
    const { hits, literal } = await ask("createFormPostRequest");
    expect(literal).toMatchObject({ match: "present", missing: [] });
    expect(hits[0]).toMatchObject({ type: "symbol", path: "src/form.ts" });
    const holds = hits.map(({ text }) => text.includes("createFormPostRequest"));
    expect(holds.lastIndexOf(true)).toBeLessThan(holds.includes(false) ? holds.indexOf(false) : holds.length);
    const holders = hits.filter((_, i) => holds[i]).map(({ path }) => path);
    expect(new Set(holders)).toEqual(new Set(["src/form.ts", "src/client.ts", "tests/form.test.ts", "src/long.ts"]));
  });

  test("smart case: without capitals any case matches, in its own case it comes first", async () => {
    const { hits } = await ask("form");
    expect(hits[0]!.symbol?.symbol.name).toBe("Form");
    expect((await ask("init_db_command")).hits[0]!.symbol?.symbol.name).toBe("init_db_command");
    expect((await ask("INIT_DB_COMMAND")).hits[0]!.symbol?.symbol.name).toBe("INIT_DB_COMMAND");
  });

  test("the parts of a total add up to it, and explain says the same", async () => {
    const { at, ids } = await repo;
    for (const query of ["createFormPostRequest", "where is createFormPostRequest called", "createFormPostReqeust"]) {
      for (const hit of (await ask(query)).hits) {
        expect(hit.parts.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(hit.total, 5);
        const again = await explain({ query, limit: 20 }, hit, at, ids);
        expect(again.hit.total).toBe(hit.total);
      }
    }
  });

  test("lines with it are not hidden by a definition beside them that has it in another case", async () => {
    const { at, ids } = await indexTree({
      "config.go":
        "package lib\n\ntype config struct {\n\texecutorType string\n}\n\nfunc read() string {\n\treturn tmp.ExecutorType\n}\n",
    });
    const { hits } = await search({ query: "ExecutorType", limit: 10 }, at, ids);
    expect(hits[0]!.text).toContain("tmp.ExecutorType");
    expect(hits[1]!.symbol?.symbol.name).toBe("executorType");
  });

  test("the limit does not change the order", async () => {
    const all = (await ask("createFormPostRequest")).hits.map(({ path, lineStart }) => `${path}:${lineStart}`);
    const two = (await ask("createFormPostRequest", { limit: 2 })).hits;
    expect(two.map(({ path, lineStart }) => `${path}:${lineStart}`)).toEqual(all.slice(0, 2));
  });
});

describe("a phrase in quotes", () => {
  test("what holds it comes first", async () => {
    const { hits, literal } = await ask('"closed at once"');
    expect(literal?.match).toBe("present");
    expect(hits[0]!.path).toBe("docs/guide.md");
  });

  test("one that does not occur is reported, without names", async () => {
    expect((await ask('"open at once forever"')).literal).toMatchObject({ match: "absent", didYouMean: [] });
  });
});

describe("a name that does not occur", () => {
  test("is reported with the names that resemble it, and few results", async () => {
    const { hits, literal } = await ask("createFormPostReqeust");
    expect(literal).toMatchObject({ match: "absent", missing: ["createFormPostReqeust"] });
    expect(literal!.didYouMean[0]).toBe("createFormPostRequest");
    expect(hits[0]!.symbol?.symbol.name).toBe("createFormPostRequest");
    expect(hits.length).toBeLessThanOrEqual(5);
    expect(hits[0]!.score).toBeLessThan(0.75);
  });

  test("is compared with the names of the requested languages and folders only", async () => {
    const near = async (more: object) => (await ask("createFormPostReqeust", more)).literal?.didYouMean;
    expect(await near({ languages: ["python"] })).toEqual([]);
    expect(await near({ under: "docs" })).toEqual([]);
    expect(await near({ under: "src" })).toContain("createFormPostRequest");
    const { at, ids } = await repo;
    expect(await locate({ name: "init_db_comand", limit: 5, languages: ["typescript"] }, at, ids)).toEqual({
      hits: [],
      totalCandidates: 0,
    });
  });

  test("of words that occur nowhere: nothing", async () => {
    const { hits, literal, totalCandidates } = await ask("zebra_unicorn_helper");
    expect([hits, literal?.match, totalCandidates]).toEqual([[], "absent", 0]);
  });

  test("locate suggests names, too", async () => {
    const { at, ids } = await repo;
    expect(await locate({ name: "createFormPostReqest", limit: 5 }, at, ids)).toMatchObject({
      hits: [],
      didYouMean: ["createFormPostRequest"],
    });
  });
});

describe("a sentence", () => {
  test("that names a definition has it among the first three", async () => {
    const { hits, literal } = await ask("what happens when createFormPostRequest is given an empty form");
    expect(literal?.match).toBe("present");
    expect(hits.slice(0, 3).some(({ path, lineStart }) => path === "src/form.ts" && lineStart === 1)).toBe(true);
  });

  test("that names what does not exist says so and still answers", async () => {
    const { hits, literal } = await ask("how does createFormPostReqeust post a form");
    expect(literal).toMatchObject({ match: "absent", missing: ["createFormPostReqeust"] });
    expect(hits.length).toBeGreaterThan(0);
  });

  test("that qualifies a name does not mean one in another case", async () => {
    expect((await ask("where is form.Form sent to")).literal?.match).toBe("present");
    expect((await ask("where is form.form sent to")).literal).toMatchObject({
      match: "absent",
      missing: ["form.form"],
    });
  });

  test("about nothing here gets few results of low score", async () => {
    const { hits } = await ask("how does the session of a chocolate cake recipe in the oven begin");
    expect(hits.length).toBeLessThanOrEqual(3);
    for (const { score } of hits) expect(score).toBeLessThan(0.5);
  });
});

test("a kind filter keeps symbols of that kind", async () => {
  const { hits } = await ask("form", { kinds: { only: ["class"] } });
  expect(hits.map(({ symbol }) => symbol?.symbol.kind)).toEqual(hits.map(() => "class"));
  expect(hits.length).toBeGreaterThan(0);
});

test("a query of filters alone lists files", async () => {
  const { hits } = await ask("", { keeps: (path) => path.startsWith("docs/") });
  expect(hits.map(({ type, path }) => `${type} ${path}`)).toEqual(["file docs/guide.md"]);
});

test("the beginning of a word costs no reading of every file that holds the word", async () => {
  const files = Array.from({ length: 200 }, (_, i) => [
    `src/f${i}.ts`,
    `const a = quietly_run_${i}; // retention of quietly\n`,
  ]);
  const { at, ids } = await indexTree(Object.fromEntries(files));
  const reads = async (query: string) => {
    let count = 0;
    const text: typeof at.text = (file) => {
      count++;
      return at.text(file);
    };
    const { literal } = await search({ query, limit: 5 }, { ...at, text }, ids);
    return { count, match: literal?.match };
  };
  // No word, the stem of one, and a name that only longer names contain.
  for (const query of ["quie", "retent"]) expect((await reads(query)).match).toBe("present");
  expect((await reads("quie")).count).toBeLessThan(80);
  expect((await reads("retent")).count).toBeLessThan(120);
  expect((await reads("quietly_run")).match).toBe("absent");
});

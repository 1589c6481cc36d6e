/** The same calls in eleven languages: who calls what, and how sure that is. */
import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { F_CALL } from "../../test/kit/repos/f-call.ts";
import { walkCalls } from "./call-graph.ts";
import { findSymbol } from "./find-symbol.ts";
import { buildGraph } from "./graph.ts";
import { referenceRules } from "./reference-rules.ts";

/** Found by hand in gson: the constructor of the superclass has the name that the subclass extends. */
test("a superclass with a constructor of its name is still the superclass", async () => {
  const { at, ids } = await indexTree({
    "a/Adapter.java": "package a;\n\npublic class Adapter<T> {\n    public Adapter() {}\n}\n",
    "b/Sql.java": "package b;\n\nimport a.Adapter;\n\nclass Sql extends Adapter<String> {\n    Sql() {}\n}\n",
  });
  const { record, index } = await findSymbol({ name: "Adapter" }, at, ids);
  const edges = await buildGraph(at, referenceRules).referencesTo({ path: record.path, index });
  expect(edges.map(({ kind, resolution, path }) => `${kind} ${resolution} ${path}`).toSorted()).toEqual([
    "extends import b/Sql.java",
    "imports import b/Sql.java",
  ]);
});

/** Found by hand in axum: what is bound elsewhere in a later round is not listed by its name. */
test("a namesake of another type is not listed, whenever its file is read", async () => {
  const { at, ids } = await indexTree({
    "Cargo.toml": '[package]\nname = "app"\n',
    "src/lib.rs": "mod body;\nmod error;\npub use self::error::Error;\n",
    "src/error.rs": "pub struct Error;\n\nimpl Error {\n    pub fn new() -> Self {\n        Error\n    }\n}\n",
    "src/body.rs":
      "use crate::Error;\n\npub struct Body;\n\nimpl Body {\n    pub fn new() -> Self {\n        Body\n    }\n}\n\npub fn make() -> Body {\n    Error::new();\n    Body::new()\n}\n",
  });
  const { record, index } = await findSymbol({ name: "Body::new" }, at, ids);
  const edges = await buildGraph(at, referenceRules).referencesTo({ path: record.path, index });
  expect(edges.map(({ line, resolution }) => `${line} ${resolution}`)).toEqual(["13 receiver"]);
});

/** `process` calls these, each surely. */
const CALLED = ["helper", "process", "run", "validate"];

test.each(Object.entries(F_CALL))("%s", async (_, tree) => {
  const { at, ids } = await indexTree(tree);
  const graph = buildGraph(at, referenceRules);
  const nameAt = async (place: { path: string; index: number } | undefined) => {
    if (place === undefined) return "?";
    return (await at.record((await at.file(place.path))!)).symbols[place.index]!.name.toLowerCase();
  };
  const find = async (name: string) => {
    const { record, index } = await findSymbol({ name }, at, ids);
    return { path: record.path, index };
  };
  const walk = async (name: string, direction: "callers" | "callees", depth: number) => {
    const { calls } = await walkCalls({ root: await find(name), direction, depth, enough: 100 }, graph);
    const sure = calls.filter((call) => call.resolution !== "name_only");
    return Promise.all(sure.map(async ({ from, to }) => `${await nameAt(from)} → ${await nameAt(to)}`));
  };
  const callees = await walk("process", "callees", 1);
  expect(callees.filter((it) => CALLED.some((name) => it.endsWith(` ${name}`))).toSorted()).toEqual(
    CALLED.map((name) => `process → ${name}`),
  );
  // From the innermost step back to the entry, through the circle of `process`.
  const callers = await walk("step", "callers", 3);
  expect(callers).toEqual(expect.arrayContaining(["run → step", "process → run", "entry → process"]));
  for (const name of ["validate", "helper"]) expect(await walk(name, "callers", 1)).toEqual([`process → ${name}`]);
});

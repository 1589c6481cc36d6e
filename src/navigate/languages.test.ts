/** The same calls in eleven languages: who calls what, and how sure that is. */
import { expect, test } from "vitest";
import { indexed } from "../../test/kit/indexed.ts";
import { F_CALL } from "../../test/kit/repos/f-call.ts";
import { dialectOf } from "../compass/dialects.ts";
import { findSymbol } from "../compass/find-symbol.ts";
import { walkCalls } from "./call-graph.ts";
import { graphOf } from "./graph.ts";

/** `process` calls these, each surely. */
const CALLED = ["helper", "process", "run", "validate"];

test.each(Object.entries(F_CALL))("%s", async (_, tree) => {
  const { at, ids } = await indexed(tree);
  const graph = graphOf(at, dialectOf);
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

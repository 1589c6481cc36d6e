import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { F_RUST } from "../../test/kit/repos/f-rust.ts";
import type { OutlineNode } from "../model/search.ts";
import { outline } from "./outline.ts";

const repo = indexTree(F_RUST);
const draw = (nodes: readonly OutlineNode[], indent = ""): string[] =>
  nodes.flatMap(({ symbol, children }) => [`${indent}${symbol.kind} ${symbol.name}`, ...draw(children, `${indent}  `)]);

test("a tree in the order of the source, children inside their parent", async () => {
  const { at } = await repo;
  const file = (await at.file("src/types.rs"))!;
  const { nodes, nodeCount, symbolCount, language } = await outline(file, at, { depth: "all" });
  expect(language).toBe("rust");
  expect(symbolCount).toBe((await at.record(file)).symbols.length);
  expect(nodeCount).toBe(symbolCount);
  expect(draw(nodes)).toHaveLength(symbolCount);
  const within = ({ symbol, children }: OutlineNode): boolean =>
    children.every(
      (it) =>
        it.symbol.span.lineStart >= symbol.span.lineStart &&
        it.symbol.span.lineEnd <= symbol.span.lineEnd &&
        within(it),
    );
  expect(nodes.every(within)).toBe(true);
  expect(draw(nodes)).toContain("struct User");
});

test("depth top has no children, a file without symbols is empty", async () => {
  const { at } = await repo;
  const types = await outline((await at.file("src/types.rs"))!, at, { depth: "top" });
  expect(types.nodes.every(({ children }) => children.length === 0)).toBe(true);
  expect(types.nodeCount).toBe(types.nodes.length);
  expect((await outline((await at.file("docs/README.md"))!, at, { depth: "all" })).nodes).toEqual([]);
});

test.each(["top", "all"] as const)("the first so many nodes are the first of all (%s)", async (depth) => {
  const { at } = await repo;
  const file = (await at.file("src/types.rs"))!;
  const whole = await outline(file, at, { depth });
  const drawn = draw(whole.nodes);
  for (let most = 0; most <= drawn.length; most++) {
    const { nodes, ...counts } = await outline(file, at, { depth, most });
    expect(draw(nodes)).toEqual(drawn.slice(0, most));
    expect(counts).toEqual({ ...whole, nodes: undefined });
  }
});

test.each(["parse_timeout", "parser_crash"] as const)(
  "a file that was given up (%s) is not one without symbols",
  async (kind) => {
    const { at } = await repo;
    const file = (await at.file("docs/README.md"))!;
    const record = await at.record(file);
    expect(await outline(file, at, { depth: "all" })).not.toHaveProperty("unread");
    const given = { ...record, problems: [{ kind: "decode_loss" as const }, { kind }] };
    const gaveUp = { frame: at.frame, record: async () => given };
    expect((await outline(file, gaveUp, { depth: "all" })).unread).toBe(kind);
  },
);

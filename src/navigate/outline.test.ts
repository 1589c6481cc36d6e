import { expect, test } from "vitest";
import { indexed } from "../../test/kit/indexed.ts";
import { F_RUST } from "../../test/kit/repos/f-rust.ts";
import type { OutlineNode } from "../model/search.ts";
import { outline } from "./outline.ts";

const repo = indexed(F_RUST);
const draw = (nodes: readonly OutlineNode[], indent = ""): string[] =>
  nodes.flatMap(({ symbol, children }) => [`${indent}${symbol.kind} ${symbol.name}`, ...draw(children, `${indent}  `)]);

test("a tree in the order of the source, children inside their parent", async () => {
  const { at } = await repo;
  const record = await at.record((await at.file("src/types.rs"))!);
  const { nodes, symbolCount, language } = outline(record, "all");
  expect(language).toBe("rust");
  expect(symbolCount).toBe(record.symbols.length);
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
  const types = outline(await at.record((await at.file("src/types.rs"))!), "top");
  expect(types.nodes.every(({ children }) => children.length === 0)).toBe(true);
  expect(outline(await at.record((await at.file("docs/README.md"))!), "all").nodes).toEqual([]);
});

test.each(["parse_timeout", "parser_crash"] as const)(
  "a file that was given up (%s) is not one without symbols",
  async (kind) => {
    const { at } = await repo;
    const record = await at.record((await at.file("docs/README.md"))!);
    expect(outline(record, "all")).not.toHaveProperty("unread");
    expect(outline({ ...record, problems: [{ kind: "decode_loss" }, { kind }] }, "all").unread).toBe(kind);
  },
);

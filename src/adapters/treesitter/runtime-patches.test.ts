import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { beforeAll, expect, test } from "vitest";
import * as original from "web-tree-sitter";
import { READABLE } from "../../languages/index.ts";
import { grammarSources } from "./locate.ts";
import { INPUT_UNITS, startRuntime } from "./runtime.ts";
import { quickened } from "./runtime-patches.ts";

const sources = grammarSources(READABLE);
const core = readFileSync(createRequire(import.meta.url).resolve("web-tree-sitter/web-tree-sitter.wasm"));

beforeAll(async () => {
  await original.Parser.init();
});

test("what is known of tree-sitter's code holds for the package that is installed", () => {
  const quick = quickened(core);
  expect(quick).not.toBe(core);
  expect(quick.length).toBe(core.length);
  expect(quickened(Buffer.from(quick))).toEqual(quick);
});

const EDGE = INPUT_UNITS;
const PYTHON = `class A:
\tdef f(self, ä, 𝐱):  # 🧭 \u{1f9ed}
\t\treturn "中文 𝐱" + 𝐱
`;

/** Letters of two units are letters of Python; a half of one is an error. */
const TEXTS: readonly (readonly [string, string, string])[] = [
  ["letters of two units", "python", PYTHON],
  ["halves of letters", "python", "a = b\ud835 + c\ndef f(): \udc31\n  pass\n"],
  ["a letter across the edge", "python", `${"#".repeat(EDGE - 5)}\na = 𝐱𝐱𝐱\n${PYTHON}`],
  ["half a letter at the edge", "python", `${"#".repeat(EDGE - 3)}\n𝐱\ud835`],
  ["many edges", "python", PYTHON.repeat(600)],
  ["a mark before the first column", "haskell", "\ufefff = do a\n       b\n       c\ng = 1\n"],
  ["columns", "haskell", "f = do a\n       x <- do b\n               c\n       d\n where\n  a = do { b }\n"],
  ["columns", "scala", "object A:\n  def f = 1 match\n    case 1 =>\n      val x = 2\n      x\n  def g = 3\n\nend A\n"],
  ["columns", "bash", "cat <<-EOF\n\ta $b\n\tEOF\ncat <<'X'\n$b\nX\n[[ a =~ ^b ]] && c\n"],
  ["lines ended by two signs", "haskell", "f x = do\r\n\ta\r\n\tb\r\n  where\r\n  a = 1\r\n"],
  ["nothing", "haskell", ""],
];

test.each(TEXTS)("%s in %s: the tree is the one that the package makes", async (_, id, text) => {
  await expectSameTree(id, text);
});

test("parts of a text: the tree is the one that the package makes", async () => {
  const part = (row: number, column: number, endColumn: number) => {
    const startIndex = row * "a = bcd\n".length + column;
    const positions = { startPosition: { row, column }, endPosition: { row, column: endColumn } };
    return { startIndex, endIndex: startIndex + endColumn - column, ...positions };
  };
  const includedRanges = [part(0, 0, 5), part(1, 4, 6), part(3, 0, 7)];
  const nodes = await expectSameTree("python", "a = bcd\n".repeat(4), { includedRanges });
  expect(nodes.length).toBeGreaterThan(5);
});

async function expectSameTree(id: string, text: string, options?: original.ParseOptions): Promise<string[]> {
  const wasm = readFileSync(sources.get(id)!.wasmPath);
  const one = await nodesOf(original, wasm, text, options);
  expect(await nodesOf((await startRuntime()).api, wasm, text, options)).toEqual(one);
  return one;
}

/** Whatever is not deleted here may be deleted by the collector, while it is needed. */
async function nodesOf(api: typeof original, wasm: Uint8Array, text: string, options?: original.ParseOptions) {
  const parser = new api.Parser();
  parser.setLanguage(await api.Language.load(wasm));
  const tree = parser.parse(text, null, options)!;
  const cursor = tree.walk();
  const nodes: string[] = [];
  do {
    const { nodeType, startIndex, endIndex, startPosition, endPosition } = cursor;
    nodes.push(JSON.stringify([nodeType, startIndex, endIndex, startPosition, endPosition]));
  } while (goOn(cursor));
  for (const made of [cursor, tree, parser]) made.delete();
  return nodes;
}

function goOn(cursor: original.TreeCursor): boolean {
  if (cursor.gotoFirstChild()) return true;
  while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false;
  return true;
}

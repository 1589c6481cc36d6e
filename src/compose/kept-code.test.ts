import { basename } from "node:path";
import { setFlagsFromString } from "node:v8";
import { beforeEach, expect, test, vi } from "vitest";
import { compileGrammar, type GrammarSource } from "../adapters/treesitter/load.ts";
import { compileCore } from "../adapters/treesitter/runtime.ts";

vi.mock("node:v8", () => ({ setFlagsFromString: vi.fn() }));
vi.mock("../adapters/treesitter/load.ts", () => ({ compileGrammar: vi.fn() }));
vi.mock("../adapters/treesitter/runtime.ts", () => ({ compileCore: vi.fn() }));

const steps: string[] = [];
const step = (name: string) => {
  steps.push(name);
  return {};
};
vi.mocked(setFlagsFromString).mockImplementation(step);
vi.mocked(compileCore).mockImplementation(() => step("core"));
vi.mocked(compileGrammar).mockImplementation(({ wasmPath }: GrammarSource) => step(basename(wasmPath)));

let keepCode: (much: boolean) => void;
beforeEach(async () => {
  steps.length = 0;
  vi.resetModules();
  keepCode = (await import("./kept-code.ts")).keepCode;
});

test("who reads much has small lexers compiled whole, once", () => {
  keepCode(true);
  const lexers = ["tree-sitter-python.wasm", "tree-sitter-go.wasm", "tree-sitter-java.wasm"];
  expect(steps).toEqual(["core", "--no-wasm-lazy-compilation", ...lexers, "--wasm-lazy-compilation"]);
  keepCode(true);
  expect(steps.length).toBe(6);
});

test("a grammar that cannot be compiled is left to whoever loads it, and no flag behind", () => {
  vi.mocked(compileGrammar).mockImplementationOnce(() => {
    throw new Error("broken");
  });
  keepCode(true);
  expect(steps).toEqual(["core", "--no-wasm-lazy-compilation", "--wasm-lazy-compilation"]);
});

test("who reads little has nothing compiled that may not run", () => {
  keepCode(false);
  expect(steps).toEqual(["core"]);
});

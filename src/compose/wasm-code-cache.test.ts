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

let keepCode: typeof import("./wasm-code-cache.ts").keepCode;
beforeEach(async () => {
  steps.length = 0;
  vi.resetModules();
  keepCode = (await import("./wasm-code-cache.ts")).keepCode;
});

const lexers = (...names: string[]) => names.map((name) => `tree-sitter-${name}.wasm`);
const whole = (...compiled: string[]) => ["--no-wasm-lazy-compilation", ...compiled, "--wasm-lazy-compilation"];

test("who reads much has small lexers compiled whole, once", () => {
  keepCode("little");
  const expected = whole("core", ...lexers("python", "go", "java"));
  expect(steps).toEqual(expected);
  keepCode("little");
  expect(steps).toEqual(expected);
});

test("who has plenty of memory has larger ones, too, but none of the largest", () => {
  keepCode("plenty");
  expect(steps).toEqual(expect.arrayContaining(whole("core", ...lexers("java", "c", "ruby", "tsx"))));
  for (const largest of lexers("swift", "kotlin", "bash", "cpp")) expect(steps).not.toContain(largest);
});

test("a grammar that cannot be compiled is left to whoever loads it, and no flag behind", () => {
  vi.mocked(compileGrammar).mockImplementationOnce(() => {
    throw new Error("broken");
  });
  keepCode("little");
  expect(steps).toEqual(whole("core"));
});

test("who reads little has nothing compiled that may not run", () => {
  keepCode("brief");
  expect(steps).toEqual(["core"]);
});

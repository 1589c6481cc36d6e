import { expect, test } from "vitest";
import type { FileId } from "../model/ids.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { findMainPackage, isBesideMain, mainPackage } from "./main-package.ts";

const files = (directory: string, count: number) => Array.from({ length: count }, (_, i) => `${directory}file${i}.rs`);
const WORKSPACE = [
  "Cargo.toml",
  "server/Cargo.toml",
  ...files("server/src/", 8),
  "server-macros/Cargo.toml",
  ...files("server-macros/src/", 2),
  ...files("server-macros/tests/", 20),
];

test("the package with most of the source is the main one; tests do not count", () => {
  expect(findMainPackage(WORKSPACE)).toMatchObject({ root: "server/", lead: 0.75 });
});

test("a repository of one package has no main package", () => {
  expect(findMainPackage(["go.mod", ...files("cmd/", 3), ...files("pkg/", 5)])).toBeUndefined();
});

test("among packages of similar size none is the main one", () => {
  const peers = ["a/package.json", ...files("a/", 3), "b/package.json", ...files("b/", 4)];
  expect(findMainPackage(peers)).toBeUndefined();
});

test("a file counts less in another package, unless the query names that package", () => {
  const main = findMainPackage(WORKSPACE)!;
  const isNextTo = (path: string, ...words: string[]) => isBesideMain(path, main, words);
  expect(isNextTo("server/src/file1.rs", "rout")).toBe(false);
  expect(isNextTo("server-macros/src/file1.rs", "rout", "server")).toBe(true);
  expect(isNextTo("server-macros/src/file1.rs", "macro")).toBe(false);
});

test("the files of a state are listed once", async () => {
  let listed = 0;
  const files = async () => {
    listed++;
    return WORKSPACE.map((path, id) => ({ path, id: id as FileId, language: "rust", contentHash: "" }));
  };
  const at = (stateId: string) => ({ info: { stateId }, files }) as unknown as Snapshot;
  expect((await mainPackage(at("one")))?.root).toBe("server/");
  expect((await mainPackage(at("one")))?.root).toBe("server/");
  expect(listed).toBe(1);
  expect((await mainPackage(at("two")))?.root).toBe("server/");
  expect(listed).toBe(2);
});

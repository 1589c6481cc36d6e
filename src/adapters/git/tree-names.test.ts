import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { isSafeTreeName } from "./tree-names.ts";

const bytes = (name: string) => Buffer.from(name, "utf8").toString("latin1");

describe.each<NodeJS.Platform>(["linux", "darwin", "win32"])("%s", (platform) => {
  test.each(["a.ts", ".gitignore", ".github", "..a", "git~", "ü.ts", ".gitmodules", "console.ts", "auxiliary"])(
    "%s becomes a file",
    (name) => expect(isSafeTreeName(bytes(name), platform)).toBe(true),
  );
  test.each(["", ".", "..", ".git", ".GIT", "git~1", "a/b", "../x", "a\0", ".g\u200cit", "\ufeff.git", ".\u202egit"])(
    "%j does not",
    (name) => expect(isSafeTreeName(bytes(name), platform)).toBe(false),
  );
});

const WINDOWS_ONLY = [
  ...[
    "..\\..\\evil.ts",
    "a\\b",
    "C:evil.ts",
    ".git::$INDEX_ALLOCATION",
    ".git.",
    ".git ",
    ".. ",
    "CON",
    "aux.ts",
    "nul.tar.gz",
  ],
  ...["COM1", "lpt¹", "what?", 'say"', "a|b", "line\nbreak"],
];
test.each(WINDOWS_ONLY)("%j is an ordinary name, but not on Windows", (name) => {
  expect(isSafeTreeName(bytes(name), "linux")).toBe(true);
  expect(isSafeTreeName(bytes(name), "win32")).toBe(false);
});

import { expect, test } from "vitest";
import { hyperlinks } from "./hyperlink.ts";

const check = (format: string, address: RegExp) =>
  test(format, () => {
    const [, found] = /\x1b\]8;;(.*?)\x1b\\a\.ts\x1b\]8;;\x1b\\/.exec(hyperlinks(format)!("a.ts", "/x/a b#é.ts", 7))!;
    expect(found).toMatch(address);
  });
check("default", /^file:\/\/[^/]*\/x\/a%20b%23%C3%A9\.ts#7$/);
check("file", /^file:\/\/[^/]*\/x\/a%20b%23%C3%A9\.ts$/);
check("vscode", /^vscode:\/\/file\/x\/a%20b%23%C3%A9\.ts:7:1$/);
check("idea://open?file={path}&line={line}", /^idea:\/\/open\?file=\/x\/a%20b%23%C3%A9\.ts&line=7$/);

test("none has no links", () => expect(hyperlinks("none")).toBeUndefined());

test.each(["vscod", "file://{line}", "x://{path}{row}"])("%s is refused", (format) => {
  expect(() => hyperlinks(format)).toThrow(/--hyperlink-format is/);
});

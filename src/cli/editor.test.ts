import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sandbox } from "../../test/kit/sandbox.ts";
import { editorArguments, openInEditor } from "./editor.ts";

const box = sandbox();
afterAll(() => box[Symbol.dispose]());

const check = (editor: string, expected: string[]) =>
  test(editor, () => expect(editorArguments(editor, { path: "/a b.ts", line: 7 })).toEqual(expected));
check("vim", ["+7", "/a b.ts"]);
check("/usr/bin/nano -w", ["+7", "/a b.ts"]);
check("code --wait", ["-g", "/a b.ts:7"]);
check("subl", ["/a b.ts:7"]);
check("idea", ["--line", "7", "/a b.ts"]);

test("the editor gets the line and the path as one word each", async () => {
  const file = join(box.tree({}), "opened.txt");
  await openInEditor({ env: { EDITOR: `printf '%s\\n' > '${file}'` } }, { path: "/a b.ts", line: 7 });
  expect(readFileSync(file, "utf8")).toBe("+7\n/a b.ts\n");
});

test("without an editor, or with one that fails", async () => {
  await expect(openInEditor({ env: {} }, { path: "/a", line: 1 })).rejects.toThrow("--open needs an editor");
  await expect(openInEditor({ env: { EDITOR: "false" } }, { path: "/a", line: 1 })).rejects.toThrow(
    "ended with code 1",
  );
});

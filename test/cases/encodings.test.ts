/** I5: for every encoding and line ending, our lines are those of `git grep`. */
import { Buffer } from "node:buffer";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commit, git, sandbox } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf8 = (text: string) => Buffer.from(text, "utf8");
/** 日本 in Shift-JIS, 中文 in GB18030. */
const SHIFT_JIS = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
const GB18030 = Buffer.from([0xd6, 0xd0, 0xce, 0xc4]);
const around = (middle: Buffer, name: string) =>
  Buffer.concat([utf8("# "), middle, utf8("\n\n# "), middle, utf8(`\ndef ${name}():\n    return 1\n`)]);

/** Each defines a function named after its file. */
const FILES: Readonly<Record<string, Buffer>> = {
  plain: utf8("import os\n\ndef plain():\n    return os\n"),
  bom: utf8("\ufeffimport os\n\ndef bom():\n    return os\n"),
  crlf: utf8("import os\r\n\r\ndef crlf():\r\n    return os\r\n"),
  mixed: utf8("import os\r\nx = 1\n\r\ndef mixed():\n    return os\r\n"),
  lone_cr: utf8("# a\rb\rc\n# d\ndef lone_cr():\n    return 1\n"),
  no_newline: utf8("x = 1\ndef no_newline(): return x"),
  blank_head: utf8("\n\n\n\ndef blank_head():\n    pass\n"),
  blank_tail: utf8("def blank_tail():\n    pass\n\n\n\n\n"),
  form_feed: utf8("# one\f\n# two\v\ndef form_feed():\n    pass\n"),
  separators: utf8("# a\u2028b\u2029c\u0085d\ndef separators():\n    pass\n"),
  umlaut: utf8("# grüße\ndef umlaut():\n    return 'ü'\n"),
  emoji: utf8("# 🦀🦀\nx = '👩‍👩‍👧'\ndef emoji():\n    return x\n"),
  greek: utf8("# αβγ\ndef greek():\n    pass\n"),
  latin: latin1("# gr\u00fc\u00dfe\n# caf\u00e9\ndef latin():\n    pass\n"),
  windows: latin1("# \u0093quoted\u0094\n\ndef windows():\n    pass\n"),
  shift_jis: around(SHIFT_JIS, "shift_jis"),
  gb18030: around(GB18030, "gb18030"),
  cut_off: Buffer.concat([utf8("# "), Buffer.from([0xe2, 0x82]), utf8("\ndef cut_off():\n    pass\n")]),
  surrogate: Buffer.concat([utf8("# "), Buffer.from([0xed, 0xa0, 0x80]), utf8("\ndef surrogate():\n    pass\n")]),
  long_line: utf8(`x = "${"a".repeat(900)}"\ndef long_line():\n    return x\n`),
};

test(`I5: ${Object.keys(FILES).length} files`, async () => {
  using box = sandbox();
  const root = box.repository({ "README.md": "encodings\n" });
  for (const [name, bytes] of Object.entries(FILES)) writeFileSync(join(root, `${name}.py`), bytes);
  commit(root, "encodings");
  const server = startServer(["--workspace", root], box.env);
  await server.initialize();
  await server.tool("index_repo", { wait_seconds: 60 });
  const ours: Record<string, number> = {};
  const theirs: Record<string, number> = {};
  for (const name of Object.keys(FILES)) {
    const { results } = await server.tool("locate_symbol", { name, kind: "fn" });
    ours[name] = results[0]?.line_start;
    theirs[name] = Number(git(root, "grep", "-n", "-a", "-h", `def ${name}`, "--", `${name}.py`).split(":")[0]);
  }
  await server.close();
  expect(ours).toEqual(theirs);
});

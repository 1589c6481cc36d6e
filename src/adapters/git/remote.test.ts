import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { nameOfUrl, remoteName } from "./remote.ts";

const check = (url: string, name: string | undefined) => test(url, () => expect(nameOfUrl(url)).toBe(name));
check("https://github.com/acme/api.git", "github.com/acme/api");
check("https://user:secret@GitHub.com/acme/api/", "github.com/acme/api");
check("git@github.com:acme/api.git", "github.com/acme/api");
check("ssh://git@git.acme.example:2222/team/deep/api.git", "git.acme.example/team/deep/api");
check("git://host/x", "host/x");
check("host:path/to/x", "host/path/to/x");
check("/srv/git/x.git", undefined);
check("../x", undefined);
check("file:///srv/x", undefined);
check("C:\\work\\x", undefined);
check("https://github.com/", undefined);

const base = mkdtempSync(join(tmpdir(), "codecompass-remote-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test("the remote called origin, and no other", () => {
  const config =
    '[core]\n\tbare = false\n[remote "fork"]\n\turl = https://h/a/fork\n[remote "origin"]\n\turl = git@h:a/b\n';
  writeFileSync(join(base, "config"), config);
  expect(remoteName(base)).toBe("h/a/b");
  writeFileSync(join(base, "config"), config.replace("origin", "other"));
  expect(remoteName(base)).toBeUndefined();
  expect(remoteName(join(base, "absent"))).toBeUndefined();
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { nameOfUrl, remoteName } from "./repository-files.ts";

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

// No part of a name may come from a credential: each of these holds the word in one.
for (const url of [
  "https://u:secret@ss@host/a/b",
  "https://u:p@secret@host:8443/a/b.git",
  "https://secret@host/a/b",
  "https://oauth2:secret@host/a/b.git",
  "https://x-access-token:secret@host/a/b",
  "https://u:secret%40x@host/a/b",
  "https://u:secret#x@host/a/b",
  "https://u:secret?x@host/a/b",
  "https://host/a/b?private_token=secret",
  "https://host/a/b.git?private_token=secret#secret",
  "https://host/a/b#access_token=secret",
  "https://host/a/b.git;token=secret",
  "https://host/a/b%3Fprivate_token=secret",
  "https://host/a/b%23secret",
  "ssh://u:secret@host:22/a/b",
  "git:secret@host:a/b",
  "u:p@secret@host:a/b.git",
  "git@host:a/b?token=secret",
  "HTTPS://U:secret@HOST/a/b",
]) {
  test(`without its credentials: ${url}`, () => expect(nameOfUrl(url)).toBe("host/a/b"));
}
for (const url of [
  "https://u:sec/secret@host/a/b",
  "https://u:123/secret@host/a/b",
  "https://host?private_token=secret/a",
  "https://host%3Ftoken=secret/a/b",
  "https://host;secret/a/b",
  "https:/u:secret@host/a/b",
  "https:u:secret@host/a/b",
  "https:%2F%2Fu:secret@host/a/b",
  "oauth2:secret@host/a/b",
  "oauth2:secret%40host/a/b",
  "git+ssh://u:secret@host/a/b",
  "ext::sh -c secret@host:a/b",
  "https://u:p@x/secret@host/a/b",
  "//u:secret@host/a/b",
]) {
  test(`no name: ${url}`, () => expect(nameOfUrl(url)).toBeUndefined());
}
check("https://host/@scope/b", "host/@scope/b");
check("https://host/~user/b+c", "host/~user/b+c");

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
  writeFileSync(join(base, "config"), config.replace("git@h:a/b", "https://u:p@w@h/a/b?token=x # note"));
  expect(remoteName(base)).toBe("h/a/b");
});

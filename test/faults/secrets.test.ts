/** S15: files that the product writes are readable by their owner only, and secrets of a tree are in none of them and in no answer. */
import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInShell } from "../kit/command.ts";
import { withStore } from "../kit/faults.ts";
import { sandbox } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

const UMASKS = ["000", "022", "077"];
const CANARY = "Zx9canaryQv7";
const KEY = `-----BEGIN RSA PRIVATE KEY-----\n${`${CANARY}${"A".repeat(52)}\n`.repeat(8)}-----END RSA PRIVATE KEY-----\n`;
const SECRETS = {
  ".env": `API_PASSWORD=${CANARY}\n`,
  "deploy/.env.production": `TOKEN=${CANARY}\n`,
  "deploy/id_rsa": KEY,
  "deploy/server.pem": `${CANARY}\n`,
  "deploy/signing.key": `${CANARY}\n`,
};
const FILES = {
  ...SECRETS,
  "deploy/notes.txt": `The key of the host:\n${KEY}`,
  "main.py": "def password_of_env():\n    return 'server notes'\n",
};

test.each(UMASKS)(
  `umask %s: directories are 0700 and files 0600; ${Object.keys(SECRETS).length} secrets are in no answer, file or log`,
  async (umask) => {
    using box = sandbox();
    const root = box.tree(FILES);
    const indexed = await runInShell(`umask ${umask}`, ["index", "--hidden", "--json", "--verbose"], {
      cwd: root,
      env: box.env,
    });
    expect(indexed).toMatchObject({ code: 0 });
    expect(indexed.json()).toMatchObject({ file_count: 2, skipped_reasons: { secret: Object.keys(SECRETS).length } });

    expect(modesBelow(box.home)).toEqual(["0600", "0700"]);
    expect(
      await runInShell(`umask ${umask}`, ["index", "--force", "--hidden"], { cwd: root, env: box.env }),
    ).toMatchObject({
      code: 0,
    });
    expect(modesBelow(box.home)).toEqual(["0600", "0700"]);

    const server = startServer(["--workspace", root, "--hidden", "--verbose"], box.env);
    await server.initialize();
    for (const query of ["password", "private key of the host", "token", "server.pem", ".env", "id_rsa", "notes"])
      await server.tool("search_code", { query, detail_level: "context" });
    for (const path of Object.keys(SECRETS))
      expect((await server.tool("get_file_outline", { path })).error.code).toBe("file_not_found");
    await server.tool("locate_symbol", { name: "API_PASSWORD" });
    await server.tool("index_status");
    expect(await server.close()).toBe(0);

    const said = [indexed.out, indexed.err, server.lines.join("\n"), server.stderr()];
    expect(said.filter((text) => text.includes(CANARY))).toEqual([]);
    expect(server.lines.join("\n")).toContain("password_of_env");
    expect(filesBelow(box.home).filter((file) => readFileSync(file).includes(CANARY))).toEqual([]);
    expect((await storedTexts(box.home)).filter((text) => text.includes(CANARY))).toEqual([]);
  },
  300_000,
);

function modesBelow(home: string): string[] {
  const paths = ["", ...readdirSync(home, { recursive: true, encoding: "utf8" })].map((path) => join(home, path));
  return [...new Set(paths.map((path) => `0${(statSync(path).mode & 0o777).toString(8)}`))].sort();
}

function filesBelow(home: string): string[] {
  return globSync("**/*", { cwd: home })
    .map((path) => join(home, path))
    .filter((path) => statSync(path).isFile());
}

/** Texts are compressed in the file; the store returns them as they were read. */
async function storedTexts(home: string): Promise<string[]> {
  const texts = await withStore(home, async (store) => {
    const snapshot = (await store.snapshot("live"))!;
    const files = await snapshot.files();
    const all = await Promise.all(files.map((file) => snapshot.text(file)));
    const records = await Promise.all(files.map(async (file) => JSON.stringify(await snapshot.record(file))));
    snapshot.release();
    return [...all, ...records];
  });
  expect(texts!.join("")).toContain("password_of_env");
  return texts!;
}

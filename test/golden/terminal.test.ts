/** What a person sees on a terminal of 80 columns: colours, links and marks, with ␛ for the escape character. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Call } from "../../src/cli/command.ts";
import { execute } from "../../src/cli/program.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";

const FILES = {
  "src/store.ts":
    "/** Opens the store. */\nexport function openStore(path: string): Store {\n" +
    '  const retries = 3; // 日本語の説明\n  return new Store(path, "rw", retries);\n}\n\nexport class Store {}\n',
  "src/app.ts":
    'import { openStore } from "./store";\n\nexport function main() {\n  return openStore("a");\n}\nmain();\n',
  "src/names.md": `# 名前\n\n${"長い行 ".repeat(40)}openStore\n`,
};
const LINES = [
  "openStore --limit 1",
  "def openStore",
  "refs openStore",
  "refs openStore --limit 1",
  "callers openStore",
  "callers openStore --depth 1 --limit 1 --direction both",
  "outline src/store.ts",
  "context open store --max-tokens 300",
  "search --regex openStore src",
  "search --regex -c openStore",
  "search --regex --vimgrep open.* src/app.ts --hyperlink-format vscode",
  "openStore --limit 1 --hyperlink-format none",
  "search misspeltName",
];

let box: Sandbox;
let root: string;
beforeAll(() => {
  box = sandbox();
  root = box.repository(FILES);
});
afterAll(() => box[Symbol.dispose]());

async function shown(line: string): Promise<string> {
  let text = "";
  const write = (part: string) => {
    text += part;
  };
  const terminal = {
    out: write,
    err: write,
    matches: write,
    outIsTty: true,
    colour: true,
    errIsTty: false,
    columns: 80,
  };
  const given = { terminal, signal: new AbortController().signal, env: { ...box.env, CI: "1" }, cwd: root };
  const code = await execute(line.split(" "), given satisfies Partial<Call>);
  const links = text.replaceAll(/file:\/\/[^/]*/g, "file://").replaceAll(encodeURI(root), "/ROOT");
  return `$ codecompass ${line}\n${links.replaceAll("\x1b", "␛")}[${code}]\n`;
}

test("the terminal", async () => {
  const all = [];
  for (const line of LINES) all.push(await shown(line));
  await expect(all.join("\n")).toMatchFileSnapshot("terminal.golden.txt");
}, 120_000);

/** What `install` writes on Windows, with the path rules of Windows in place of this system's. */
import { describe, expect, test, vi } from "vitest";

vi.mock("node:path", async () => {
  const { win32 } = await vi.importActual<typeof import("node:path")>("node:path");
  return { ...win32, default: win32 };
});

const { CLIENTS, startCommand, thisInstallation } = await import("./clients.ts");
const { parsed, withEntry, withoutEntry, addedBy } = await import("./plan.ts");

const MACHINE = {
  platform: "win32",
  home: "C:\\Users\\Zoë B",
  env: { APPDATA: "C:\\Users\\Zoë B\\AppData\\Roaming" },
} as const;

test("every client's file lies below the profile, with backslashes alone", () => {
  const files = CLIENTS.flatMap(({ user }) => user?.(MACHINE) ?? []);
  expect(files.length).toBeGreaterThan(8);
  for (const file of files) {
    expect(file.startsWith(MACHINE.home)).toBe(true);
    expect(file).not.toContain("/");
  }
});

const node = { platform: "win32", execPath: "C:\\Program Files\\nodejs\\node.exe" };

test("an installed package is started by its path, one of npx through cmd", () => {
  expect(thisInstallation("D:\\tools\\codecompass-mcp", node)).toEqual({
    command: node.execPath,
    args: ["D:\\tools\\codecompass-mcp\\bin\\codecompass.js"],
  });
  const cache = "C:\\npm-cache\\_npx\\1f\\node_modules\\codecompass-mcp";
  expect(thisInstallation(cache, node)).toEqual({ command: "cmd", args: ["/c", "npx", "-y", "codecompass-mcp"] });
  expect(thisInstallation(cache, { ...node, platform: "linux" })).toEqual({
    command: "npx",
    args: ["-y", "codecompass-mcp"],
  });
});

/** Clients pass each argument on as it is, so no quoting may be added and none of these may be lost. */
describe.each([
  "C:\\Users\\Zoë B\\my repo",
  "\\\\server\\share$\\it's 100% & more",
  "C:\\ends with a backslash\\",
  'C:\\"quoted" `tick` ^caret',
])("the workspace %s", (workspace) => {
  test.each(CLIENTS.map((client) => [client.id, client] as const))("in the file of %s", (_, client) => {
    const start = startCommand(
      client,
      { scope: "user", workspace, tools: "core" },
      thisInstallation("D:\\tools\\codecompass-mcp", node),
    );
    const target = { format: client.format, path: [...client.section, "codecompass"] };
    const text = withEntry("", target, client.entry(start));
    const whole = parsed(text, { format: client.format, path: [] });
    const entry = target.path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], whole);
    expect(entry).toEqual(client.entry(start));
    expect(JSON.stringify(entry)).toContain(JSON.stringify(workspace).slice(1, -1));
    expect(withoutEntry(text, target, addedBy("", text, target))).toBe("");
  });
});

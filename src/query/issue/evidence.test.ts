import { expect, test } from "vitest";
import { isIssue, readIssue } from "./evidence.ts";

const ISSUE = `Session.send drops headers
<!-- Please search existing issues first. -->
### Describe the bug

Calling \`resolve_redirects\` loses what requests.sessions.Session.send was given, see src/app/sessions.py.

- [x] I have searched the existing issues

\`\`\`python
from requests.adapters import HTTPAdapter
HTTPAdapter().build_response(None)
\`\`\`

Traceback (most recent call last):
  File "/home/me/run.py", line 3, in <module>
  File "/usr/lib/python3/site-packages/requests/sessions.py", line 170, in send

### Environment
numpy==1.2.3
zebra_version: something`;

test("an issue has several lines and more than a question's length", () => {
  expect(isIssue(ISSUE)).toBe(true);
  expect(isIssue("where is\nthe pool")).toBe(false);
  expect(isIssue("x ".repeat(2000))).toBe(false);
});

test("evidence is kept apart", () => {
  const { title, prose, code, frames, paths, dotted, names } = readIssue(ISSUE);
  expect(title).toBe("Session.send drops headers");
  expect(prose).toContain("resolve_redirects");
  expect(prose).not.toMatch(/Describe the bug|searched|numpy|zebra|Please/);
  expect(code).toContain("build_response");
  expect(frames.slice(0, 2)).toEqual([
    { path: "usr/lib/python3/site-packages/requests/sessions.py", line: 170, name: "send" },
    { path: "home/me/run.py", line: 3, name: "<module>" },
  ]);
  expect(paths).toContain("src/app/sessions.py");
  expect(dotted).toEqual(
    expect.arrayContaining(["Session.send", "requests.sessions.Session.send", "requests.adapters.HTTPAdapter"]),
  );
  expect(names.get("resolve_redirects")).toBeGreaterThan(names.get("build_response")!);
  expect([...names.keys()]).not.toContain("zebra_version");
});

const HOSTILE = {
  nothing: "",
  "an open fence": "a\n```\nb",
  "an open comment": "a\n<!-- b",
  "64 kB of slashes": "a/".repeat(40_000),
  "64 kB of dots": `x\n${"a.".repeat(40_000)}`,
  "64 kB of blanks": `x\n${" ".repeat(70_000)}\ny`,
  "10,000 identifiers": Array.from({ length: 10_000 }, (_, i) => `someName_${i}\n`).join(""),
  "64 kB of backticks": "`".repeat(66_000),
  "64 kB of equals signs": `x\n${"a=".repeat(33_000)}`,
  "emoji and half a pair": "😀\n\ud800 ".repeat(200),
};
for (const [what, text] of Object.entries(HOSTILE)) {
  test(`${what} is read`, () => {
    const { names, frames, paths, dotted } = readIssue(text);
    expect(names.size).toBeLessThanOrEqual(96);
    expect(Math.max(frames.length, paths.length, dotted.length)).toBeLessThanOrEqual(500);
  });
}

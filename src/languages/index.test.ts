import { expect, test } from "vitest";
import { KINDS } from "../model/kinds.ts";
import { detectLanguage, LANGUAGES, languageById } from "./index.ts";

const file = (path: string, id: string, text = "") =>
  test(`${path} ${JSON.stringify(text)} is ${id}`, () => expect(detectLanguage(path, text).id).toBe(id));

file("src/a.rs", "rust");
file("a/B.TS", "typescript");
file("types.d.ts", "typescript");
file("a.tsx", "tsx");
file("a.mjs", "javascript");
file("Dockerfile", "dockerfile");
file("Makefile", "makefile");
file("a.json", "json");
file("README", "text");
file("no.such-extension", "text");
file(".gitignore", "text");
file("run", "python", "#!/usr/bin/env -S python3.12 -u\nprint()");
file("run", "javascript", "#!/usr/local/bin/node\n");
file("run", "text", "#!/usr/bin/env\n");
file("a.h", "c", "#ifndef A\nint f(void);\n#endif\n");
file("a.h", "cpp", "// x\nnamespace a {\n}\n");
file("a.h", "cpp", "#include <string>\n");
file("a.h", "c", "#include <string.h>\n");

const word = (alias: string, id: string | undefined) =>
  test(`the word ${alias} means ${id}`, () => expect(languageById(alias)?.id).toBe(id));

word("Rust", "rust");
word("rs", "rust");
word("C#", "csharp");
word("c++", "cpp");
word(" golang ", "go");
word("py", "python");
word("text", "text");
word("klingon", undefined);

test("ids and aliases are claimed once, extensions are lower case", () => {
  const words = LANGUAGES.flatMap((it) => [it.id, ...it.aliases]);
  expect(new Set(words).size).toBe(words.length);
  const extensions = LANGUAGES.flatMap((it) => it.extensions);
  expect(new Set(extensions).size).toBe(extensions.length);
  for (const extension of extensions) expect(extension).toMatch(/^\.[^A-Z]+$/);
  for (const it of LANGUAGES) for (const owner of it.methodOwners) expect(KINDS).toContain(owner);
});

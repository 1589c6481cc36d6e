import { expect, test } from "vitest";
import { occurrencesInCode } from "./unread-lines.ts";

const lines = (id: string, docMarkers: string[], text: string) =>
  occurrencesInCode(text, "run", { id, docMarkers }).map(({ line }) => line);
const C = ["//", "/*", "*/"];

test.each([
  ["comments are no code", "cpp", C, "// run\n/* run\n run */\nrun();\n", [4]],
  ["nor is a word in a string", "cpp", C, 'f("never run", run);\ng("no run");\n', [1]],
  ["a string that is the name may be one", "ruby", ["#"], "send('run')\nsend('run it')\n", [1]],
  ["what is inserted into a string is code", "ruby", ["#"], 'p "#{run} it"\np "run it"\n', [1]],
  ["a word is whole", "cpp", C, "rerun(); run_it(); runs();\nx->run();\n", [2]],
  ["a quote of one character opens no string", "rust", C, "fn f<'a>(x: &'a u8) { run('\"'); }\nrun();\n", [1, 2]],
  ["a sign within a word begins no comment", "bash", ["#"], "echo $# run\n# run\n", [1]],
  ["a string over several lines", "python", ["#"], '"""\nrun\n"""\nrun()\n', [4]],
])("%s", (_, id, docMarkers, text, expected) => expect(lines(id, docMarkers, text)).toEqual(expected));

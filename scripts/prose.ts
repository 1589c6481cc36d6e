/**
 * Checks that file names, comments, titles of tests and docs use plain engineering English and that a type name is defined once.
 * Prints one line per finding and fails if there is any.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(fileURLToPath(new URL("..", import.meta.url)));

/** Each phrase with what to write instead. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bwho(?:m|ever)\b/i, "the caller, the client, the user or the process"],
  [/\b(?:some|no|any)body\b/i, "the caller, the client, the user or the process"],
  [/\b(?:is|are|was|were) (?:told|asked|spoken)\b/i, "is reported, receives a request"],
  [/\bspeaks?\b/i, "contains, mentions"],
  [/\bstands? (?:in|for|to|at|before|behind|beside|back)\b/i, "is in, represents, precedes"],
  [/\blets? go\b/i, "releases"],
  [/\bgo(?:es)? on\b/i, "continues, resumes"],
  [/\bbunch(?:es)?\b/i, "batch"],
  [/\blikeness\b/i, "similarity"],
  [/\b(?:mended|quickened)\b/i, "patched, optimized"],
  [/\banew\b/i, "again"],
  [/\b(?:is|are|was) handed\b|\bhand(?:s|ed) (?:in|on|over)\b/i, "passes, returns, re-exports"],
  [/\btold apart\b/i, "distinguished"],
  [/\bworked out\b/i, "computed, resolved"],
  [/\bin one go\b/i, "at once, in one call"],
  [/(?<!`)\bbears?\b/i, "has"],
];
/** Names of values; the words for them are in the glossary of ARCHITECTURE.md. */
const IDENTIFIERS: readonly (readonly [name: RegExp, instead: string])[] = [
  [/\b\w*[lL]ikeness\w*\b/, "similarity"],
  [/\b\w*[pP]atience\w*\b/, "timeout"],
  [/\b\w*[sS]hel(?:f|ves)\b/, "cache"],
];
const FILE_NAME = /^(?:away|late|silence|spoken|termed|beside|patience|shelf|standing|mended|quickened|likeness)$/;

/** Texts of other programs, old releases and fixtures, on which goldens depend. */
const IGNORED =
  /\/(?:samples?|frozen|fixtures?)[./]|^test\/(?:kit\/repos\/|golden\/ranking\/repo\.ts)|^scripts\/prose\.ts$/;

function proseFindings(): readonly string[] {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root })
    .toString()
    .split("\n")
    .filter((file) => /\.(?:tsx?|md|sh|sql)$/.test(file) && !IGNORED.test(file) && existsSync(resolve(root, file)));
  const texts = new Map(files.map((file) => [file, readFileSync(resolve(root, file), "utf8")]));
  return [
    ...files
      .filter((file) => FILE_NAME.test(basename(file).split(".")[0]!))
      .map((file) => `${file}: unclear file name`),
    ...[...texts].flatMap(([file, text]) => phraseFindings(file, text)),
    ...duplicateTypes(texts),
  ];
}

function phraseFindings(file: string, text: string): string[] {
  const prose = file.endsWith(".md") ? /()(.*)/ : /(^\s*\*|\/\/|\/\*\*|^\s*#|^\s*--)(.*)/;
  return text.split("\n").flatMap((line, index) => {
    const sentence = prose.exec(line)?.[2] ?? TEST_TITLE.exec(line)?.[1] ?? "";
    const names = /\.tsx?$/.test(file) ? line : "";
    return [
      ...PHRASES.map((row) => [row, sentence] as const),
      ...IDENTIFIERS.map((row) => [row, names] as const),
    ].flatMap(([[word, instead], part]) => {
      const found = word.exec(part);
      return found === null ? [] : [`${file}:${index + 1}: "${found[0]}"; write: ${instead}`];
    });
  });
}

const TEST_TITLE = /^\s*(?:test|it|describe|check)(?:\.\w+)*\(\s*["`](.*)/;

/** One concept has one name: an exported type of `src` is defined in one file. */
function duplicateTypes(texts: ReadonlyMap<string, string>): string[] {
  const files = new Map<string, string[]>();
  for (const [file, text] of texts) {
    if (!file.startsWith("src/") || file.endsWith(".test.ts")) continue;
    for (const [, name] of text.matchAll(/^export (?:interface|type|(?:abstract )?class) (\w+)/gm))
      files.set(name!, [...(files.get(name!) ?? []), file]);
  }
  return [...files]
    .filter(([, at]) => at.length > 1)
    .map(([name, at]) => `type ${name} is defined in ${at.join(", ")}`);
}

if (import.meta.main) {
  const found = proseFindings();
  for (const line of found) console.log(line);
  process.exitCode = found.length > 0 ? 1 : 0;
}

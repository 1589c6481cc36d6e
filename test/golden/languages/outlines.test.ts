/**
 * Every language's sample against its golden outline. After an intended change, run it with UPDATE_GOLDEN=1 and
 * read the diff: the outlines are meant for review by eye.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { extract } from "../../../src/ingest/extract.ts";
import { parse } from "../../../src/ingest/read-file.ts";
import type { Language } from "../../../src/languages/define.ts";
import { READABLE } from "../../../src/languages/index.ts";
import type { CodeSymbol } from "../../../src/model/code.ts";
import { sharedGrammars } from "../../kit/inline-parsers.ts";

const GENEROUS_MS = 30_000;
const grammars = await sharedGrammars();

test.each(READABLE)("outline of the $id sample", async (language) => {
  const { path, text, golden } = sampleOf(language);
  const result = language.read?.(text) ?? (await parse(language, text, grammars, GENEROUS_MS));
  expect(result.detail).toBeUndefined();
  expect(result.outcome).toBe("clean");
  const symbols = extract(language, path, text, result);
  for (const [index, it] of symbols.entries()) expect(it.parent ?? -1).toBeLessThan(index);
  check(golden, render(symbols));

  const crlf = text.replaceAll("\n", "\r\n");
  const again = language.read?.(crlf) ?? (await parse(language, crlf, grammars, GENEROUS_MS));
  expect(again.outcome).toBe("clean");
  expect(render(extract(language, path, crlf, again)), "with the line endings of Windows").toBe(render(symbols));
});

/** Languages of a table have their samples in one folder. */
function sampleOf({ id, grammar }: Language): { path: string; text: string; golden: string } {
  const isInTable = grammar?.of !== undefined || (grammar === undefined && id !== "markdown");
  const [at, start] = isInTable ? [folder("formats", "samples"), `${id}.`] : [folder(id), "sample."];
  const name = readdirSync(at).find((it) => it.startsWith(start) && !it.endsWith(".golden.txt"))!;
  const golden = isInTable ? `${id}.golden.txt` : "outline.golden.txt";
  return { path: `src/auth/${name}`, text: readFileSync(join(at, name), "utf8"), golden: join(at, golden) };
}

function check(golden: string, actual: string): void {
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, actual);
  expect(actual).toBe(existsSync(golden) ? readFileSync(golden, "utf8") : "");
}

/** Indent, kind, qualified name, lines, visibility; then the signature and the doc comment, each on its own line. */
function render(symbols: readonly CodeSymbol[]): string {
  return symbols.map((it) => lines(it, depth(symbols, it))).join("");
}

function lines(it: CodeSymbol, level: number): string {
  const indent = "  ".repeat(level);
  const visibility = [it.visibilityKeyword, it.visibility].filter(Boolean).join(" = ");
  const nth = it.ordinal > 0 ? ` #${it.ordinal}` : "";
  const head = `${indent}${it.kind} ${it.qualifiedName}${nth} ${it.span.lineStart}-${it.span.lineEnd}`;
  const rest = [it.signature, it.doc && `"${it.doc.replaceAll("\n", " / ")}"`].filter(Boolean);
  return [`${head}${visibility && ` [${visibility}]`}`, ...rest.map((line) => `${indent}    ${line}`)]
    .join("\n")
    .concat("\n");
}

function depth(symbols: readonly CodeSymbol[], it: CodeSymbol): number {
  return it.parent === undefined ? 0 : depth(symbols, symbols[it.parent]!) + 1;
}

function folder(id: string, file = ""): string {
  return fileURLToPath(new URL(`../../../src/languages/${id}/${file}`, import.meta.url));
}

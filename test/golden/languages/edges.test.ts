/**
 * Every language's sample against its golden facts: imports, uses of names, facts about values. After an intended change,
 * run it with UPDATE_GOLDEN=1 and read the diff. Lines are in the order of the sample, so that they can be reviewed.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { extract } from "../../../src/ingest/extract.ts";
import { extractFacts } from "../../../src/ingest/facts.ts";
import { parse } from "../../../src/ingest/read-file.ts";
import type { Language } from "../../../src/languages/define.ts";
import { READABLE } from "../../../src/languages/index.ts";
import { EDGE_KINDS, type Facts } from "../../../src/model/edges.ts";
import { decodeFacts, encodeFacts } from "../../../src/segment/facts.ts";
import { lineStarts } from "../../../src/text/lines.ts";
import { sharedGrammars } from "../../kit/inline-parsers.ts";

const GENEROUS_MS = 30_000;
/** Languages that share a grammar have the facts of its sample. */
const WITH_EDGES = READABLE.filter((it) => it.edges && !it.grammar?.of);
const grammars = await sharedGrammars();

test.each(WITH_EDGES)("edges of the $id sample", async (language) => {
  const name = readdirSync(folder(language.id)).find((it) => it.startsWith("sample."))!;
  const text = readFileSync(folder(language.id, name), "utf8");
  const facts = await read(language, `src/auth/${name}`, text);
  expect(decodeFacts(encodeFacts(facts))).toEqual(facts);
  check(folder(language.id, "edges.golden.txt"), render(facts));

  const crlf = await read(language, `src/auth/${name}`, text.replaceAll("\n", "\r\n"));
  expect(render(crlf), "with the line endings of Windows").toBe(render(facts));
});

async function read(language: Language, path: string, text: string): Promise<Facts> {
  const parsed = await parse(language, text, grammars, GENEROUS_MS);
  expect(parsed.detail).toBeUndefined();
  const places: number[] = [];
  const symbols = extract(language, path, text, parsed, places);
  return extractFacts({ language, path, text, lineStarts: lineStarts(text), symbols, places, edges: parsed.edges! })!;
}

function render(facts: Facts): string {
  const { definitions, imports, names, sites, expressions } = facts;
  const place = (line: number, column: number) => `${line}:${column + 1}`;
  const written = (expression: string) => expression.replaceAll("\t", " ");
  const imported = imports.map(({ module, name, local, exported, line, column }) => {
    const as = [local && `as ${local}`, exported !== undefined && `exported ${exported}`].filter(Boolean);
    return `import ${place(line, column)} ${name || "-"} from ${module || "here"} ${as.join(" ")}`.trimEnd();
  });
  const types = definitions.flatMap(({ name, kind, type, params }) => [
    ...(type === undefined ? [] : [`type ${kind} ${name} = ${written(type)}`]),
    ...(params === undefined ? [] : [`takes ${kind} ${name} (${params.map(written).join(", ")})`]),
  ]);
  const used = Array.from({ length: sites.count }, (_, i) => {
    const [bound, receiver] = [sites.bound[i]!, sites.receivers[i]!];
    const on = receiver >= 0 ? ` on ${written(expressions[receiver]!) || "?"}` : receiver === -2 ? " key" : "";
    const to = bound >= 0 ? ` = ${definitions[bound]!.kind} ${definitions[bound]!.name}` : "";
    const from = sites.from[i]! >= 0 ? ` in ${definitions[sites.from[i]!]!.name}` : "";
    const where = place(sites.lines[i]!, sites.columns[i]!);
    return {
      line: sites.lines[i]!,
      text: `${EDGE_KINDS[sites.kinds[i]!]} ${where} ${names[sites.names[i]!]}${on}${to}${from}`,
    };
  });
  const uses = used.toSorted((a, b) => a.line - b.line).map((it) => it.text);
  return [...imported, ...types, ...uses, ""].join("\n");
}

function check(golden: string, actual: string): void {
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, actual);
  expect(actual).toBe(existsSync(golden) ? readFileSync(golden, "utf8") : "");
}

function folder(id: string, file = ""): string {
  return fileURLToPath(new URL(`../../../src/languages/${id}/${file}`, import.meta.url));
}

/**
 * The token estimate against a real tokenizer, over 1,000 answers of the real tools on real files: no answer exceeds its
 * budget, and the average error of the estimate is less than a tenth.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Compass } from "../../src/compass/compass.ts";
import { openCompass } from "../../src/compose/compose.ts";
import { DEFAULTS } from "../../src/config/schema.ts";
import { estimateTokens } from "../../src/text/tokens.ts";
import { DEFAULT_SETTINGS } from "../../src/tools/define.ts";
import { findTool } from "../../src/tools/index.ts";
import { runTool } from "../../src/tools/run.ts";
import { F_CALL } from "../kit/repos/f-call.ts";
import { F_RUST } from "../kit/repos/f-rust.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";

const ANSWERS = 1_000;
/** Smaller budgets fit only the metadata, which every answer has. */
const BUDGETS = [300, 500, 1_000, 2_000, 4_000];

let box: Sandbox;
let compass: Compass;

beforeAll(async () => {
  box = sandbox();
  const root = box.repository(tree());
  compass = await openCompass({
    home: box.home,
    workspaces: [root],
    defaultWorkspace: root,
    settings: DEFAULTS,
    watch: false,
  });
  await compass.index(await compass.project(), { mode: "full", force: false, waitMs: 60_000 });
}, 120_000);

afterAll(async () => {
  await compass.close();
  box[Symbol.dispose]();
});

/** The samples of every language and the small services. */
function tree(): Record<string, string> {
  const files: Record<string, string> = { ...F_RUST };
  for (const [language, sources] of Object.entries(F_CALL)) {
    for (const [path, text] of Object.entries(sources)) files[`calls/${language}/${path}`] = text;
  }
  const languages = fileURLToPath(new URL("../../src/languages/", import.meta.url));
  for (const id of readdirSync(languages, { withFileTypes: true })) {
    if (!id.isDirectory()) continue;
    for (const name of readdirSync(join(languages, id.name)).filter((it) => it.startsWith("sample."))) {
      files[`samples/${id.name}/${name}`] = readFileSync(join(languages, id.name, name), "utf8");
    }
  }
  return files;
}

const NAMES = ["validate_token", "Claims", "process", "run", "User", "Worker", "helper", "Config", "Role", "step"];
const QUESTIONS = [
  "where are tokens validated",
  "error: invalid token",
  "src/auth.rs",
  "open a connection",
  "total price",
];

function* calls(): Generator<readonly [tool: string, input: Record<string, unknown>]> {
  for (;;) {
    for (const max_tokens of BUDGETS) {
      for (const query of [...QUESTIONS, ...NAMES]) {
        for (const detail_level of ["location", "signature", "context"]) {
          yield ["search_code", { query, detail_level, limit: 50, max_tokens }];
          yield ["locate_symbol", { name: query, detail_level, max_tokens }];
        }
        for (const strategy of ["breadth", "depth"]) yield ["get_code_context", { query, strategy, max_tokens }];
        yield ["find_references", { symbol_name: query, path: "calls/go", limit: 100, max_tokens }];
        yield ["get_call_graph", { symbol_name: query, path: "calls/rust", depth: 3, max_tokens }];
        yield ["impact", { symbol_name: query, path: "src", max_tokens }];
        yield ["find_related_symbols", { symbol_name: query, path: "src", scope: "package", limit: 100, max_tokens }];
        yield ["get_symbol_hierarchy", { symbol_name: query, path: "src", direction: "descendants", max_tokens }];
        yield ["get_file_outline", { path: "src/auth.rs", max_tokens }];
      }
    }
  }
}

test("1,000 answers are within their budgets, and the estimate is within a tenth", async () => {
  const context = { compass, settings: DEFAULT_SETTINGS, version: "0" };
  const over: string[] = [];
  let [answers, error, below] = [0, 0, 0];
  for (const [name, input] of calls()) {
    if (answers === ANSWERS) break;
    const reply = await runTool(findTool(name)!, input, context);
    // A missing or ambiguous name is a short error whose cost is not measured.
    if (reply.isError) continue;
    answers++;
    const [counted, guessed] = [countTokens(reply.text), estimateTokens(reply.text)];
    if (counted > (input.max_tokens as number)) over.push(`${name} ${JSON.stringify(input)}: ${counted}`);
    error += Math.abs(guessed - counted) / counted;
    if (guessed < counted) below++;
  }
  expect(over).toEqual([]);
  expect(error / answers).toBeLessThanOrEqual(0.1);
  expect(below / answers).toBeLessThanOrEqual(0.05);
}, 300_000);

test("contexts in text stay within their budgets and use them", async () => {
  const context = { compass, settings: DEFAULT_SETTINGS, version: "0" };
  const used: number[] = [];
  for (const max_tokens of [500, 1_000, 2_000]) {
    for (const query of QUESTIONS) {
      for (const strategy of ["breadth", "depth"]) {
        const reply = await runTool(findTool("get_code_context")!, { query, strategy, max_tokens }, context, {
          format: "text",
        });
        const counted = countTokens(reply.text);
        expect(counted, `${query} ${strategy}`).toBeLessThanOrEqual(max_tokens);
        // What was not cut had nothing more to show.
        if (reply.body.truncated === true) used.push(counted / max_tokens);
      }
    }
  }
  expect(used.length).toBeGreaterThan(10);
  expect(used.reduce((sum, one) => sum + one, 0) / used.length).toBeGreaterThan(0.8);
}, 120_000);

/**
 * Walks a repository of many languages by tool calls: from a button in a template to the route, the handler, the query and the
 * table, and from the deployment to both. Every answer says how sure it is. docs/connections.md shows some.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { localCompass } from "../kit/local-compass.ts";
import { SHOP } from "../kit/repos/f-shop.ts";
import { sandbox } from "../kit/sandbox.ts";

const CALLEES = ["placeOrder", "create_order", "insert_order"];
const REFERENCES = [
  "OrderButton",
  "POST /api/orders",
  "table:orders",
  "env:DATABASE_URL",
  "resource:infra/aws_db_instance.shop",
  "script:web: npm run build",
  "script:scripts/deploy.sh",
];
const STEPS: readonly (readonly [tool: string, input: object])[] = [
  ["get_call_graph", { symbol_name: "OrderButton", direction: "callees", depth: 5 }],
  ...CALLEES.map((symbol_name) => ["get_call_graph", { symbol_name, direction: "callees" }] as const),
  ...REFERENCES.map((symbol_name) => ["find_references", { symbol_name }] as const),
  ["impact", { symbol_name: "orders", path: "db/schema.sql" }],
  ["impact", { symbol_name: "table:orders", depth: 5 }],
];

/** Steps whose answers docs/connections.md shows. */
const DOCUMENTED = [0, 3, 6, 9, 12];
const docs = readFileSync(new URL("../../docs/connections.md", import.meta.url), "utf8");

test("from a button to a table, and from the deployment to both", async () => {
  using box = sandbox();
  const compass = localCompass(box.home, box.repository(SHOP));
  try {
    await compass.index();
    const said: string[] = [];
    for (const [tool, input] of STEPS) {
      const { isError, text } = await compass.ask(tool, { ...input, format: "text" });
      expect(isError).toBe(false);
      said.push(`# ${tool} ${JSON.stringify(input)}\n${text}`);
    }
    await expect(said.join("\n\n")).toMatchFileSnapshot("../golden/polyglot-walk.golden.txt");
    for (const step of DOCUMENTED) expect(docs).toContain(said[step]!.trimEnd());
  } finally {
    await compass.close();
  }
});

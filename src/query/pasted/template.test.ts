import { expect, test } from "vitest";
import { indexTree } from "../../../test/kit/index-tree.ts";
import { search } from "../search.ts";
import { constantPieces, matchLiteral } from "./template.ts";

test("values are cut out of a message", () => {
  const check = (message: string, pieces: string[]) => expect(constantPieces(message)).toEqual(pieces);
  check("curl: (60) SSL certificate problem: unable to get local issuer certificate", [
    "unable to get local issuer certificate",
    "SSL certificate problem",
  ]);
  check("Cannot read properties of undefined (reading 'id')", ["Cannot read properties of undefined"]);
  check("expected 17 arguments, got 3", []);
  check('unknown column "age" in table /var/data/users.db', ["unknown column", "in table"]);
});

test("a literal fits a message by its constant parts", () => {
  const check = (line: string, message: string, share: number) => {
    const at = line.indexOf(message.slice(0, 6));
    expect(matchLiteral(line, Math.max(0, at), message)?.share ?? 0).toBeCloseTo(share, 1);
  };
  const message = "cannot open file users.db for writing";
  check('fail("cannot open file %s for writing", name);', message, 1);
  check("throw new Error(`cannot open file $" + "{name} for writing`);", message, 1);
  check("raise Fault(f'cannot open file {name!r} for writing')", message, 1);
  check('bail!("cannot open file {} for writing", name)', message, 1);
  check('fail("cannot open socket %s", name);', message, 0);
  check("// cannot open file of another user", message, 0);
});

const repo = indexTree({
  "src/tls.c":
    'int verify(int code) {\n  if(code)\n    failf(data, "SSL certificate problem: %s", explain(code));\n  return code;\n}\n',
  "src/load.ts":
    "export function load(name: string) {\n  throw new Error(`cannot find module $" + "{name} in the registry`);\n}\n",
  "src/rows.py": 'def check(row):\n    raise ValueError(f"row {row.number} has no column {row.name!r}")\n',
  "docs/certs.md":
    "# Certificates\n\nIf the local issuer certificate is unknown, curl prints an SSL problem.\n\nGet a local certificate.\n",
  "docs/faq.md": "# Questions\n\nUnable to get the module? The registry and its module loader cannot find it.\n",
});

const first = async (query: string) => {
  const { at, ids } = await repo;
  const { hits, intent } = await search({ query, limit: 5 }, at, ids);
  return [intent, hits[0]?.path];
};

test("a message is answered by the literal that it is made of", async () => {
  expect(await first("curl: (60) SSL certificate problem: unable to get local issuer certificate")).toEqual([
    "error",
    "src/tls.c",
  ]);
  expect(await first("Error: cannot find module left-pad in the registry")).toEqual(["error", "src/load.ts"]);
  expect(await first("ValueError: row 17 has no column 'age'")).toEqual(["error", "src/rows.py"]);
});

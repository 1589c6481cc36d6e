/** Definitions in strings: which are found, where, and that names of the host language do not mean them. */
import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { checkUses } from "../../test/kit/references.ts";

const check = (path: string, text: string, ...expected: string[]) =>
  test(`definitions in strings of ${path}`, async () => {
    const { at } = await indexTree({ [path]: text });
    const { symbols } = await at.record((await at.file(path))!);
    const found = symbols.filter((it) => it.language !== undefined);
    expect(found.map((it) => `${it.language} ${it.kind} ${it.name} ${it.nameLine ?? it.span.lineStart}`)).toEqual(
      expected,
    );
    for (const { name, span } of found) expect(text.slice(span.start, span.end)).toContain(name);
  });

check(
  "schema.ts",
  `export const typeDefs = gql\`
  type User { id: ID! }
  \${Shared}
\`;
await db.query("CREATE TABLE " + "orders (id int)");
const one = sql\`select id from "Create table" t\`;
const label = "Create table of contents"; // "CREATE TABLE hidden (id int)"
`,
  "graphql struct User 2",
  "graphql field id 2",
  "sql table orders 5",
  "sql field id 5",
);

check(
  "migrate.rb",
  `class AddUsers
  def up
    execute <<~SQL.squish
      CREATE TABLE "users" (
        id int
      )
    SQL
    execute <<~EOS
      CREATE VIEW active AS SELECT 1
    EOS
  end
end
`,
  "sql table users 4",
  "sql field id 5",
  "sql table active 9",
);

check("schema.php", "<?php\n$sql = <<<SQL\nCREATE TABLE a (\n  id int\n);\nSQL;\n", "sql table a 3", "sql field id 4");
check("schema.py", 'db.execute("""\n  CREATE TABLE a (\n    id int\n  )""")\n', "sql table a 2", "sql field id 3");
check("schema.sh", "psql <<EOF\nCREATE TABLE a (\n  id int\n);\nEOF\n", "sql table a 2", "sql field id 3");
check("schema.go", "package a\n\nvar q = `\nCREATE TABLE a (id int)`\n", "sql table a 4", "sql field id 4");
check("schema.rs", 'const Q: &str = r#"CREATE TABLE a (id int)"#;\n', "sql table a 1", "sql field id 1");
check("plain.ts", 'import { gql } from "graphql";\nconst a = "SELECT 1";\n');

checkUses(
  "a name of the script does not mean a definition in a string",
  {
    "a.ts": "export class User {}\nconst q = gql`type User { id: ID }`;\nexport const one = new User();\n",
  },
  ["a.ts", "User"],
  "a.ts:3:23 calls exact",
);

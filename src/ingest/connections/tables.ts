/** SQL tables: where they are created or mapped to a type, and the queries that use them, in files and in strings. */
import { embeddedTexts } from "../../languages/formats/embedded.ts";
import type { TextRange } from "../file-names.ts";
import { plainText } from "./call.ts";
import type { ConnectionFile, ConnectionRule } from "./connections.ts";

const ECMASCRIPT = ["javascript", "typescript", "tsx", "flow", "vue", "svelte", "astro"];
const NAME = /^[A-Za-z_][\w$.]*$/;

/** `"public"."Users"` is `users`: databases ignore case, and the schema is often set elsewhere. */
function tableKey(written: string): string {
  return written
    .replace(/["`[\]]/g, "")
    .replace(/^.*\./, "")
    .toLowerCase();
}

export function readTables(file: ConnectionFile): void {
  const { language, symbols, text } = file;
  symbols.forEach(({ kind, name, span }, symbol) => {
    if (kind === "table")
      file.add(span.start, { side: "definition", kind: "table", key: tableKey(name), target: { symbol } });
  });
  if (language === "sql") readStatements(file, text, 0);
  else if (!PROSE.has(language))
    for (const it of embeddedTexts(text)) if (it.language === "sql") readStatements(file, it.text, it.start);
  for (const [languages, words, pattern] of MAPPINGS)
    if (languages.includes(language) && words.some((word) => text.includes(word))) readMappings(file, pattern);
  if (language === "python") readDjangoModels(file);
}

const PROSE: ReadonlySet<string> = new Set(["text", "markdown", "json", "yaml", "csv", "html"]);

const TABLE = String.raw`(?:(?:"[^"\n]+"|\x60[^\x60\n]+\x60|\[[^\]\n]+\]|[\w$]+)\s*\.\s*)?(?:"[^"\n]+"|\x60[^\x60\n]+\x60|\[[\w$ ]+\]|[A-Za-z_][\w$]*)`;
const USE = new RegExp(
  String.raw`\b(?:(?:from|join)\s+(?:only\s+|lateral\s+)?(?<read>${TABLE})(?!\s*\(|[\w.])|(?:insert\s+(?:or\s+\w+\s+|ignore\s+)?into|replace\s+into|merge\s+into|delete\s+from|references|truncate(?:\s+table)?|(?:alter|drop)\s+table(?:\s+if\s+exists)?(?:\s+only)?)\s+(?<write>${TABLE})|update\s+(?:only\s+)?(?<updated>${TABLE})(?:\s+(?:as\s+)?\w+)?\s+set\b|create\s+(?:unique\s+)?index\s[^;()]{0,200}?\son\s+(?:only\s+)?(?<indexed>${TABLE})\s*(?:\(|using))`,
  "gi",
);
/** Tables of one list; every FROM may begin one, so that the work must be bounded. */
const MOST_LISTED = 20;
/** Further tables of a list: `FROM a, b AS c`. */
const NEXT = new RegExp(
  String.raw`\s*(?:as\s+)?(?:(?!where|on|set|using|group|order|limit)[A-Za-z_]\w*)?\s*,\s*(${TABLE})(?!\s*\(|[\w.])`,
  "iy",
);
const CTE =
  /(?:\bwith\s+(?:recursive\s+)?|\)\s*,\s*)("?[\w$]+"?)\s*(?:\([^()]*\)\s*)?as\s+(?:not\s+)?(?:materialized\s+)?\(/gi;
const WORDS: ReadonlySet<string> = new Set(
  "select set values where dual unnest lateral only table if exists each".split(" "),
);

function readStatements(file: ConnectionFile, sql: string, offset: number): void {
  const own = new Set([...sql.matchAll(CTE)].map(([, name]) => tableKey(name!)));
  const use = (written: string, at: number) => {
    const key = tableKey(written);
    if (key !== "" && !own.has(key) && !WORDS.has(key)) file.add(offset + at, { side: "use", kind: "table", key });
  };
  for (const it of withoutComments(sql).matchAll(USE)) {
    const { read, write, updated, indexed } = it.groups!;
    const name = (read ?? write ?? updated ?? indexed)!;
    use(name, it.index + it[0].indexOf(name));
    if (read === undefined || !/^from/i.test(it[0])) continue;
    NEXT.lastIndex = it.index + it[0].length;
    for (let next = NEXT.exec(sql), more = 0; next && more < MOST_LISTED; next = NEXT.exec(sql), more++)
      use(next[1]!, next.index + next[0].indexOf(next[1]!));
  }
}

function withoutComments(sql: string): string {
  return sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "));
}

/** Types that name their table, by words that such a file has; the type around it, or the next one, is mapped. */
const MAPPINGS: readonly (readonly [languages: readonly string[], words: readonly string[], pattern: RegExp])[] = [
  [["python"], ["__tablename__", "db_table"], /\b(?:__tablename__|db_table)\s*=\s*["']([\w.]+)["']/g],
  [["ruby"], ["table_name"], /\bself\.table_name\s*=\s*["':](\w[\w.]*)/g],
  [["php"], ["$table"], /\bprotected\s+\$table\s*=\s*["'](\w[\w.]*)["']/g],
  [["java", "kotlin", "scala"], ["Table"], /@(?:\w+\.)*Table\s*\(\s*(?:[^()"]*\bname\s*=\s*)?"(\w[\w.]*)"/g],
  [["csharp"], ["Table("], /\[Table\(\s*"(\w[\w.]*)"|\.ToTable\(\s*"(\w[\w.]*)"/g],
  [
    ECMASCRIPT,
    ["@Entity", "tableName"],
    /@Entity\(\s*(?:\{[^{}]*?\bname:\s*)?["'](\w[\w.]*)["']|\btableName:\s*["'](\w[\w.]*)["']/g,
  ],
  [["go"], ["TableName"], /\)\s*TableName\(\)\s*string\s*\{\s*return\s*"(\w[\w.]*)"/g],
  [
    ["rust"],
    ["table!", "table_name"],
    /\b(?:diesel::)?table!\s*\{\s*(?:\w+\.)?(\w+)\s*\(|#\[diesel\([^\]]*\btable_name\s*=\s*(\w+)/g,
  ],
  [["elixir"], ["schema"], /^\s*schema\s+"(\w+)"\s+do\b/gm],
];

function readMappings(file: ConnectionFile, pattern: RegExp): void {
  for (const it of file.text.matchAll(pattern)) {
    const name = it.slice(1).find((part) => part !== undefined)!;
    const isBefore = /^[@[#]/.test(it[0]);
    const type = isBefore ? file.symbolAfter(it.index, ({ kind }) => TYPES.has(kind)) : typeAround(file, it.index);
    file.add(it.index, {
      ...{ side: "definition", kind: "table", key: tableKey(name) },
      ...(type !== undefined && { target: { symbol: type } }),
    });
  }
}

function typeAround(file: ConnectionFile, at: number): number | undefined {
  for (let i: number | undefined = file.symbolAround(at); i !== undefined && i >= 0; i = file.symbols[i]!.parent)
    if (TYPES.has(file.symbols[i]!.kind)) return i;
  return undefined;
}

const TYPES: ReadonlySet<string> = new Set(["class", "struct", "interface", "record"]);

/** `class Order(models.Model)` of `shop/models.py` is `shop_order`, unless it says otherwise. */
function readDjangoModels(file: ConnectionFile): void {
  const app = file.path.endsWith("models.py") ? /(?:^|\/)([a-z]\w*)\/models\.py$/.exec(file.path)?.[1] : undefined;
  if (app === undefined) return;
  for (const it of file.text.matchAll(/^class\s+(\w+)\(models\.Model\):[^\n]*\n((?:[ \t]+[^\n]*\n|\s*\n)*)/gm)) {
    if (/\b(?:db_table|app_label|abstract|proxy)\s*=/.test(it[2]!)) continue;
    const index = file.symbolAfter(it.index, ({ name }) => name === it[1]);
    const key = `${app}_${it[1]!.toLowerCase()}`;
    if (index !== undefined) file.add(it.index, { side: "definition", kind: "table", key, target: { symbol: index } });
  }
}

function addNamed(file: ConnectionFile, side: "definition" | "use", range: TextRange | undefined): void {
  const written = range && tableNamed(file, range);
  if (written && NAME.test(written)) file.add(range.start, { side, kind: "table", key: tableKey(written) });
}

/** A string, or a symbol of Ruby and Elixir. */
function tableNamed({ text }: ConnectionFile, range: TextRange): string | undefined {
  const symbol = /^:"?(\w+)"?$/.exec(text.slice(range.start, range.end));
  return symbol?.[1] ?? plainText(text, range)?.replace(/\s+as\s+\w+$/i, "");
}

const named = (
  side: "definition" | "use",
  languages: readonly string[],
  names: readonly string[],
  receiver: RegExp = /^(?!(?:Array|Buffer|\w+Array|Observable|Set|Map|List|Iterator|Object)$)/,
): ConnectionRule => ({
  languages,
  names,
  read: (use, file) => {
    if (receiver.test(use.receiver)) addNamed(file, side, file.call(use)?.args[0]);
  },
});

/** Calls of migrations, query builders and mappers that take the name of a table first. */
export const TABLE_RULES: readonly ConnectionRule[] = [
  named("definition", ["ruby"], ["create_table", "create_join_table"]),
  named("definition", ["python"], ["create_table"]),
  named("definition", ["python"], ["Table"]),
  named("definition", ["php"], ["create"], /(?:^|\\)Schema$/),
  named("definition", ECMASCRIPT, ["createTable", "createTableIfNotExists", "pgTable", "mysqlTable", "sqliteTable"]),
  named(
    "use",
    ["ruby"],
    [
      "add_column",
      "add_index",
      "remove_column",
      "change_column",
      "drop_table",
      "add_foreign_key",
      "rename_column",
      "change_table",
    ],
  ),
  named(
    "use",
    ["python"],
    ["add_column", "drop_table", "drop_column", "alter_column", "create_index", "ForeignKey"],
    /^(?:op|sa|db|)$/,
  ),
  named("use", ["php"], ["table", "from", "join", "leftJoin", "rightJoin", "dropIfExists"]),
  named("use", ECMASCRIPT, [
    "from",
    "into",
    "table",
    "join",
    "leftJoin",
    "innerJoin",
    "knex",
    "alterTable",
    "dropTable",
    "dropTableIfExists",
    "addColumn",
    "selectFrom",
    "insertInto",
    "updateTable",
    "deleteFrom",
  ]),
  named("use", ["go"], ["Table"]),
];

/** Keys of configuration files, and the code that reads them by their literal names. */
import { configKey } from "../../model/connections.ts";
import type { ConnectionFile } from "./connections.ts";

const SETTINGS =
  /(?:^|\/)(?:(?:application|bootstrap|appsettings|config|configuration|settings)(?:[.-][\w.-]+)?|(?:config|configs|conf|configuration|settings)\/[\w.-]+)\.(ya?ml|toml|json5?|ini|cfg|conf|properties)$/i;
/** Words of users, and files of tools that only look like settings. */
const NOT_SETTINGS = /(?:^|\/)(?:locales?|i18n|lang|translations|node_modules|\.github)\/|(?:^|\/)(?:ts|js)config/i;
const PHP_SETTINGS = /(?:^|\/)config\/([\w-]+)\.php$/;
const MOST_KEYS = 1_000;

export function readConfigKeys(file: ConnectionFile): void {
  const format = NOT_SETTINGS.test(file.path) ? undefined : SETTINGS.exec(file.path)?.[1]?.toLowerCase();
  if (format !== undefined) defineKeys(file, keysOf(format, file.text));
  const php = file.language === "php" ? PHP_SETTINGS.exec(file.path)?.[1] : undefined;
  if (php !== undefined) defineKeys(file, phpKeys(php, file.text));
  for (const [side, languages, words, pattern, around] of READS) {
    if (!languages.includes(file.language) || !words.some((word) => file.text.includes(word))) continue;
    for (const it of file.text.matchAll(pattern)) {
      const parts = it.slice(1).filter((part) => part !== undefined);
      const key = configKey([around, ...parts].filter((part) => part !== undefined).join("."));
      if (key !== "") file.add(it.index, { side, kind: "config", key });
    }
  }
}

interface KeyAt {
  readonly at: number;
  readonly key: string;
}

function defineKeys(file: ConnectionFile, keys: Iterable<KeyAt>): void {
  let count = 0;
  for (const { at, key } of keys) {
    if (++count > MOST_KEYS) return;
    file.add(at, { side: "definition", kind: "config", key: configKey(key) });
  }
}

function keysOf(format: string, text: string): Iterable<KeyAt> {
  if (format.startsWith("y")) return indentedKeys(text, /^([ ]*)(?:["']?)([\w.-]+)["']?[ ]*:(?=[ \r\n]|$)/gm);
  if (format.startsWith("json")) return jsonKeys(text);
  return sectionKeys(text);
}

/** Keys of YAML, and of PHP's arrays, each under those that are indented less. */
function* indentedKeys(text: string, pattern: RegExp, root: readonly string[] = []): Iterable<KeyAt> {
  const above: { indent: number; key: string }[] = [];
  for (const it of text.matchAll(pattern)) {
    const indent = it[1]!.length;
    while (above.length > 0 && above.at(-1)!.indent >= indent) above.pop();
    above.push({ indent, key: it[2]! });
    yield { at: it.index + indent, key: [...root, ...above.map(({ key }) => key)].join(".") };
  }
}

function phpKeys(name: string, text: string): Iterable<KeyAt> {
  return indentedKeys(text, /^([ \t]+)["']([\w.-]+)["'][ \t]*=>/gm, [name]);
}

/** `[section]` and `key = value` of TOML and INI; properties have dots in their keys. */
function* sectionKeys(text: string): Iterable<KeyAt> {
  let section = "";
  for (const it of text.matchAll(/^[ \t]*(?:\[\[?[ \t]*([\w.\-" ]+?)[ \t]*\]\]?|([\w.-]+)[ \t]*[=:](?!=))/gm)) {
    if (it[1] !== undefined) section = `${it[1].replaceAll('"', "")}.`;
    yield { at: it.index, key: it[1] === undefined ? `${section}${it[2]}` : section.slice(0, -1) };
  }
}

/** Keys of objects; elements of lists have none of their own. */
function* jsonKeys(text: string): Iterable<KeyAt> {
  const above: (string | undefined)[] = [];
  let key: string | undefined;
  let lists = 0;
  for (const it of text.matchAll(/"((?:[^"\\\n]|\\.)*)"(\s*:)?|[{}[\]]/g)) {
    const sign = it[0];
    if (sign === "[") lists++;
    else if (sign === "]") lists--;
    else if (sign === "{") {
      above.push(key);
      key = undefined;
    } else if (sign === "}") above.pop();
    else if (it[2] !== undefined && lists === 0) {
      key = it[1]!;
      yield { at: it.index, key: [...above.filter((part) => part !== undefined), key].join(".") };
    }
  }
}

const ECMASCRIPT = ["javascript", "typescript", "tsx"];
const JVM = ["java", "kotlin", "scala", "groovy"];
const KEY = String.raw`["']([\w.:-]{2,100})["']`;

type Read = readonly [
  side: "definition" | "use",
  languages: readonly string[],
  words: readonly string[],
  pattern: RegExp,
  around?: string,
];

/** How languages and their libraries read a setting; the groups are the parts of its key. */
const READS: readonly Read[] = [
  ["use", JVM, ["@Value"], /@(?:\w+:)?Value\(\s*"[^"]*?\\?\$\{([\w.-]+)/g],
  [
    "use",
    JVM,
    ["Property(", "property("],
    new RegExp(String.raw`\b(?:get(?:Required|Optional)?Property|property)\(\s*${KEY}`, "g"),
  ],
  ["use", JVM, ["@Config"], /@Config(?:uration)?Propert(?:y|ies)\(\s*(?:(?:prefix|value|name)\s*=\s*)?"([\w.-]+)"/g],
  [
    "use",
    JVM,
    ["onfig"],
    new RegExp(
      String.raw`\b\w*[cC]onfig(?:\(\))?\.get(?:String|Int|Boolean|Long|Double|Duration|Config)\(\s*${KEY}`,
      "g",
    ),
  ],
  [
    "use",
    ["csharp"],
    ["onfig"],
    /\b_?\w*[cC]onfig(?:uration)?(?:\[\s*"([\w.:-]+)"\s*\]|\.Get(?:Required)?Section\(\s*"([\w.:-]+)"|\.GetValue(?:<[\w?]+>)?\(\s*"([\w.:-]+)")/g,
  ],
  ["use", ["csharp"], ["GetConnectionString"], /\bGetConnectionString\(\s*"([\w.-]+)"/g, "ConnectionStrings"],
  [
    "use",
    ["php"],
    ["onfig"],
    new RegExp(
      String.raw`(?:(?<![\w>$:])config\(|\bConfig::(?:get|has|set|string|integer|boolean|array)\()\s*${KEY}`,
      "g",
    ),
  ],
  [
    "use",
    ["go"],
    ["viper", "onfig"],
    new RegExp(
      String.raw`\b(?:viper|v|\w*[cC]onfig|cfg|koanf|k)\.(?:Get\w*|IsSet|UnmarshalKey|String|Int|Bool|Duration|MustString)\(\s*${KEY}`,
      "g",
    ),
  ],
  ["definition", ["go"], ["SetDefault"], new RegExp(String.raw`\bSetDefault\(\s*${KEY}`, "g")],
  [
    "use",
    ECMASCRIPT,
    ["onfig"],
    new RegExp(
      String.raw`\b(?:config|nconf|convict|\w*[cC]onfigService|\w*Config)\.(?:get|getOrThrow|has)(?:<[^>()]*>)?\(\s*${KEY}`,
      "g",
    ),
  ],
  [
    "use",
    ["python"],
    ["onfig", "settings"],
    /\b\w*(?:config|cfg|conf|settings)\[\s*["']([\w.-]+)["']\s*\](?:\[\s*["']([\w.-]+)["']\s*\])?(?!\s*=[^=])/gi,
  ],
  [
    "use",
    ["python"],
    ["onfig", "settings"],
    /\b\w*(?:config|cfg|conf|settings)\.get(?:int|float|boolean)?\(\s*["']([\w.-]+)["'](?:\s*,\s*["']([\w.-]+)["'])?/gi,
  ],
  ["definition", ["python"], ["onfig["], /\bconfig\[\s*["']([A-Z]\w+)["']\s*\]\s*=[^=]/g],
  ["use", ["ruby"], ["Settings."], /\bSettings\.([a-z]\w*(?:\.[a-z]\w*)*)/g],
  [
    "use",
    ["elixir"],
    ["Application."],
    /\bApplication\.(?:get_env|fetch_env!?|compile_env!?)\(\s*:(\w+)\s*,\s*:(\w+)/g,
  ],
  ["definition", ["elixir"], ["config :"], /^[ ]*config :(\w+),\s*:?(\w+)(?=[,:])/gm],
  [
    "use",
    ["rust"],
    ["onfig", "ettings"],
    new RegExp(
      String.raw`\b\w*(?:config|settings)\.get(?:_string|_int|_bool|_float)?(?:::<[\w:<>]+>)?\(\s*${KEY}`,
      "gi",
    ),
  ],
];

/** Environment variables: where files of the deployment set them, and the code that reads them. */
import type { ConnectionFile } from "./connections.ts";

/** Every way that a language reads a variable with a literal name; the name is the group that matched. */
const READ_BY_NAME =
  /\b(?:(?:process|Bun)\.env|import\.meta\.env)(?:\.([A-Za-z_]\w*)|\[\s*["'`]([A-Za-z_]\w*)["'`]\s*\])|\b(?:os\.)?environ(?:\.(?:get|setdefault|pop)\(|\s*\[)\s*["']([A-Za-z_]\w*)["']|\bENV(?:\[|\.(?:fetch|key\?)\(?)\s*["']([A-Za-z_]\w*)["']|\$ENV\{["']?([A-Za-z_]\w*)|(?:\b(?:getenv|get_env|fetch_env!?|Getenv|LookupEnv|GetEnvironmentVariable|secure_getenv|getEnv|lookupEnv|BindEnv)|\bSys\.getenv|\benv(?:::var(?:_os)?|\.get|\.str|\.bool|\.int|\.list|\.url|\.db|\.require|\.string)?|\b(?:option_)?env!|\bEnv\.get|\$_(?:ENV|SERVER)\[?)\s*(?:[([]\s*)?(?:[\w.]+,\s*)?["']([A-Z_][A-Z0-9_]*)["']|\benv:"([A-Z_][A-Z0-9_]*)[",]/g;
const IN_LINE = /env|ENV|Env/g;
/** `${DATABASE_URL}` of Compose, Spring and shell. */
const EXPANDED = /\$\{([A-Z_][A-Z0-9_]*)(?::?[-+?][^}]*|:[^}]*)?\}/g;
const EXPANDING: ReadonlySet<string> = new Set(["yaml", "ini", "bash", "dockerfile", "toml", "makefile"]);

export function readEnvironment(file: ConnectionFile): void {
  const { language, path, text } = file;
  const define = (at: number, key: string) => file.add(at, { side: "definition", kind: "env", key });
  if (isEnvFile(path)) {
    for (const it of text.matchAll(/^[ \t]*(?:#[ \t]*)?(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=/gm))
      define(it.index, it[1]!);
    return;
  }
  if (language === "yaml") readYaml(text, define);
  else if (language === "dockerfile") {
    for (const it of text.matchAll(/^[ \t]*(?:ENV|ARG)[ \t]+([A-Za-z_]\w*)(?=[ \t=\n]|$)/gim)) define(it.index, it[1]!);
  } else if (language === "terraform") readTerraform(text, define);
  else if (language === "bash") {
    for (const it of text.matchAll(/^[ \t]*export[ \t]+([A-Z_][A-Z0-9_]*)=/gm)) define(it.index, it[1]!);
  }
  if (EXPANDING.has(language)) {
    const set = new Set([...text.matchAll(/^[ \t]*(?:local[ \t]+)?([A-Z_][A-Z0-9_]*)=/gm)].map(([, name]) => name!));
    for (const it of text.matchAll(EXPANDED))
      if (!set.has(it[1]!)) file.add(it.index, { side: "use", kind: "env", key: it[1]! });
  } else if (language !== "markdown" && language !== "text") readLines(file);
}

/** Only lines with the word are looked at: the pattern over all of a text took four times as long. */
function readLines(file: ConnectionFile): void {
  const { text } = file;
  const word = new RegExp(IN_LINE);
  for (let hit = word.exec(text); hit; hit = word.exec(text)) {
    const start = Math.max(text.lastIndexOf("\n", hit.index) + 1, hit.index - MAX_LINE);
    const newline = text.indexOf("\n", hit.index);
    const end = Math.min(newline < 0 ? text.length : newline, start + 2 * MAX_LINE);
    for (const it of text.slice(start, end).matchAll(READ_BY_NAME)) {
      const key = it.slice(1).find((part) => part !== undefined)!;
      file.add(start + it.index, { side: "use", kind: "env", key });
    }
    word.lastIndex = end;
  }
}

const MAX_LINE = 500;

function isEnvFile(path: string): boolean {
  return /(?:^|\/)(?:\.env[\w.-]*|[\w-]+\.env(?:[.-]\w+)?|env\.(?:example|sample|template))$/.test(path);
}

type Define = (at: number, key: string) => void;

/** `environment:` of Compose and `env:` of workflows and Kubernetes: a map, or a list of pairs or names. */
function readYaml(text: string, define: Define): void {
  for (const block of text.matchAll(
    /^([ \t]*)(?:- )?(?:env|environment|envVars|variables):[ \t]*(?:[&!][^\n]*)?\n/gm,
  )) {
    const from = block.index + block[0].length;
    const body = new RegExp(`(?:(?:[ \\t]*(?:#[^\\n]*)?|${block[1]}(?:[ \\t]+|- )[^\\n]*)(?:\\n|$))*`, "y");
    body.lastIndex = from;
    const lines = body.exec(text)?.[0] ?? "";
    const indent = /^([ \t]*)\S/m.exec(lines)?.[1] ?? "";
    const entry = new RegExp(
      `^${indent}(?:- +)?(?:name:[ \\t]*["']?([A-Za-z_]\\w*)["']?[ \\t\\r]*$|["']?([A-Z_][A-Z0-9_]*)["']?(?:[ \\t]*[:=]|[ \\t\\r]*$))`,
      "gm",
    );
    for (const it of lines.matchAll(entry)) define(from + it.index, (it[1] ?? it[2])!);
  }
}

/** The variables of a function, and the `name` of a container's environment. */
function readTerraform(text: string, define: Define): void {
  for (const block of text.matchAll(
    /\benvironment\s*(?:=\s*)?\{\s*variables\s*=\s*(?:merge\([^{]*)?\{([^{}]*(?:\$\{[^{}]*\}[^{}]*)*)\}/g,
  ))
    for (const it of block[1]!.matchAll(/^[ \t]*"?([A-Z_][A-Z0-9_]*)"?[ \t]*=/gm))
      define(block.index + block[0].indexOf(block[1]!) + it.index, it[1]!);
  for (const it of text.matchAll(/\{\s*"?name"?\s*[=:]\s*"([A-Z_][A-Z0-9_]*)"\s*,\s*"?value(?:From)?"?\s*[=:]/g))
    define(it.index, it[1]!);
  for (const it of text.matchAll(/\benv\s*\{\s*name\s*=\s*"([A-Z_][A-Z0-9_]*)"/g)) define(it.index, it[1]!);
}

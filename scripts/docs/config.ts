/** docs/config.md: every option, once. */
import { allowed, CONFIG_KEYS, envName, OPTIONS, type Option } from "../../src/config/schema.ts";
import { block, code, table } from "./markdown.ts";

export function configPage(): string {
  const rows = CONFIG_KEYS.map((key) => {
    const option: Option = OPTIONS[key];
    const ways = [code(envName(key)), ...(option.flag ? [code(option.flag)] : [])].join(", ");
    return [code(key), code(JSON.stringify(option.default)), allowed(option), option.doc, ways];
  });
  return `# Configuration

The strongest source wins: flags, then \`CODECOMPASS_*\` variables, then \`<repository>/.codecompass/config.toml\`, then
\`~/.codecompass/config.toml\`, then the defaults. \`--config FILE\` is read instead of the two files. Reading a
repository's file executes nothing, and nothing is ever written into a repository. A repository's file that sets where data
goes, which access a server gives, whether secrets are indexed or how many threads run is refused.

${table(["Option", "Default", "Allowed", "What it does", "Also as"], rows)}
\`[search]\` is an older name of \`[query]\` and is still read; where both set the same option, \`[query]\` wins.
An unknown option or a value that is not allowed is an error that names the file, the line and what is allowed.

\`CODECOMPASS_HOME\` is the data directory (default: \`~/.codecompass\`): indexes, registered workspaces, \`config.toml\`.
Where the home directory is on a network file system (NFS, SMB), set it to a directory on a local disk: SQLite's write-ahead log
does not work for several machines at once. \`codecompass doctor\` warns about it. Machines that share an index use PostgreSQL.

## Example

${block("toml", example())}`;
}

/** TOML puts keys without a table before the first table, else they would belong to it. */
function example(): string {
  const tables = new Map<string, string[]>([["", []]]);
  for (const key of CONFIG_KEYS.filter((key) => !key.startsWith("debug."))) {
    const dot = key.indexOf(".");
    const name = key.slice(0, Math.max(dot, 0));
    tables.set(name, [...(tables.get(name) ?? []), `${key.slice(dot + 1)} = ${JSON.stringify(OPTIONS[key].default)}`]);
  }
  return [...tables].map(([name, lines]) => `${name && `[${name}]\n`}${lines.join("\n")}\n`).join("\n");
}

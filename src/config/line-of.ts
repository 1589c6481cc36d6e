/** Where a key stands in a TOML text. The parser gives values without positions; messages need the line. */

/** 1-based line of `table.key`, of its table when only that is found, else 1. */
export function findLine(toml: string, key: string): number {
  const wanted = key.split(".");
  let table: string[] = [];
  let tableLine = 1;
  for (const [index, line] of toml.split("\n").entries()) {
    const text = line.trim();
    if (text.startsWith("[")) {
      table = parts(text.replace(/^\[+/, "").split("]", 1)[0]!);
      if (startsWith(wanted, table)) tableLine = index + 1;
      if (startsWith(table, wanted)) return index + 1;
      continue;
    }
    const equals = text.indexOf("=");
    if (equals < 0 || text.startsWith("#")) continue;
    const path = [...table, ...parts(text.slice(0, equals))];
    // `query = { limit = 3 }` holds its keys on the same line, and `a.b.c = 1` the tables above its value.
    if (startsWith(wanted, path) || startsWith(path, wanted)) return index + 1;
  }
  return tableLine;
}

function parts(dotted: string): string[] {
  return dotted.split(".").map((part) => part.trim().replace(/^["']|["']$/g, ""));
}

/** Whether `path` is `head` or lies below it. */
function startsWith(path: readonly string[], head: readonly string[]): boolean {
  return head.every((part, index) => path[index] === part);
}

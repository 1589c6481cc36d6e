/** Where a key stands in a TOML text. The parser gives values without positions; messages need the line. */

/** 1-based line of `table.key`, of its table when only that is found, else 1. */
export function lineOf(toml: string, key: string): number {
  const wanted = key.split(".");
  let table: string[] = [];
  let tableLine = 1;
  for (const [index, line] of toml.split("\n").entries()) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line);
    if (header) {
      table = parts(header[1]!);
      if (startsWith(wanted, table)) tableLine = index + 1;
      if (equal(table, wanted)) return index + 1;
      continue;
    }
    const assigned = /^\s*([\w."' -]+?)\s*=/.exec(line);
    if (!assigned) continue;
    const path = [...table, ...parts(assigned[1]!)];
    // `query = { limit = 3 }` holds its keys on the same line.
    if (startsWith(wanted, path)) return index + 1;
  }
  return tableLine;
}

function parts(dotted: string): string[] {
  return dotted.split(".").map((part) => part.trim().replace(/^["']|["']$/g, ""));
}

function startsWith(path: readonly string[], head: readonly string[]): boolean {
  return head.every((part, index) => path[index] === part);
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && startsWith(a, b);
}

/** Routes that are named by their files: Next and SvelteKit. */
import { routeKey } from "../../model/connections.ts";
import type { ConnectionFile } from "./connections.ts";

interface FileRow {
  /** The first group is the path of the route. */
  readonly path: RegExp;
  /** What serves it: functions named by method, or the default export for one method. */
  readonly serves: "methods" | "GET" | "ANY";
}

const ROWS: readonly FileRow[] = [
  { path: /^(?:.*\/)?app((?:\/.*)?)\/route\.[jt]sx?$/, serves: "methods" },
  { path: /^(?:.*\/)?app((?:\/.*)?)\/page\.(?:[jt]sx?|mdx)$/, serves: "GET" },
  { path: /^(?:.*\/)?pages(\/api(?:\/.*)?)\.[jt]sx?$/, serves: "ANY" },
  { path: /^(?:.*\/)?routes((?:\/.*)?)\/\+server\.[jt]s$/, serves: "methods" },
];

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

export function readFileRoutes(file: ConnectionFile): void {
  for (const { path: pattern, serves } of ROWS) {
    const found = pattern.exec(file.path);
    if (!found) continue;
    const path = pathOf(found[1]!);
    if (serves === "methods") {
      for (const [symbol, { name, parent }] of file.symbols.entries()) {
        if (parent === undefined && METHODS.has(name)) define(file, name, path, symbol);
      }
      for (const it of file.text.matchAll(/export\s*\{([^}]*)\}/g))
        for (const [, local, name] of it[1]!.matchAll(/(\w+)\s+as\s+(\w+)/g)) {
          const symbol = file.symbols.findIndex((one) => one.name === local && one.kind !== "use");
          if (METHODS.has(name!) && symbol >= 0) define(file, name!, path, symbol);
        }
    } else {
      if (/\bexport\s+default\b|\bmodule\.exports\b/.test(file.text)) define(file, serves, path, defaultExport(file));
    }
    return;
  }
}

function define(file: ConnectionFile, method: string, path: string, symbol?: number): void {
  file.add(symbol === undefined ? 0 : file.symbols[symbol]!.span.start, {
    side: "definition",
    kind: "route",
    key: routeKey(method, path),
    ...(symbol !== undefined && { target: { symbol } }),
  });
}

/** Groups `(x)`, slots `@x` and `index` are no part of the path. */
function pathOf(folders: string): string {
  const parts = folders.split("/").filter((part) => part !== "" && !/^(?:\(.*\)|@.*)$/.test(part));
  if (parts.at(-1) === "index") parts.pop();
  return `/${parts.join("/")}`;
}

function defaultExport({ text, symbols }: ConnectionFile): number | undefined {
  const name = /\bexport\s+default\s+(?:async\s+)?(?:function\s*\*?\s*|class\s+)?(\w+)/.exec(text)?.[1];
  const index = symbols.findIndex((it) => it.name === name && it.kind !== "use" && it.parent === undefined);
  return index < 0 ? undefined : index;
}

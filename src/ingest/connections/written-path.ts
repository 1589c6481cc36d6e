/** Paths of routes as they are written: literals, constants of this and of other files, and calls that put a prefix before one. */
import type { ConnectionTarget } from "../../model/connections.ts";
import { CONSTANT } from "../../model/connections.ts";
import type { TextRange } from "../file-names.ts";
import { listItems, readCall, readPath } from "./call.ts";
import type { ConnectionFile } from "./connections.ts";

export interface WrittenPath {
  readonly path: string;
  /** What `CONSTANT` in the path represents. */
  readonly constant?: ConnectionTarget;
  /** A function may put a prefix before it. */
  readonly open?: true;
}

/** A name with a type, a module or an object before it, or in capitals: `RouteKey.Asset`, `settings.API_V1`, `API_PREFIX`. */
const NAME = String.raw`(?:[A-Za-z_$][\w$]*(?:\.|::|->))*[A-Za-z_$][\w$]*`;
const ONLY_NAME = new RegExp(String.raw`^\\?${NAME}$`);
/** A name at the beginning of a path: `PREFIX + "/x"`, `${PREFIX}/x`, f`{settings.PREFIX}/x`. */
const LEADING = new RegExp(
  String.raw`^(?:(${NAME})\s*(?:\+|\.(?=\s*["']))|(?:[fF]|\$)?["'\x60]\$?\{\s*(${NAME})\s*\})`,
);
/** `org_scoped_rule("/x")`, `conf.BaseUri(config.ApiUri)`. */
const WRAPPER = /^[\w$.:\\]+(?=\()/;

/** The path in an argument. `isName`: a name alone may be a path. */
export function writtenPath(file: ConnectionFile, range: TextRange, isName = true): WrittenPath | undefined {
  const text = file.text.slice(range.start, range.end);
  const path = readPath(file.text, range);
  if (path !== undefined && !path.startsWith("…")) return { path };
  const [found, before, inside] = LEADING.exec(text) ?? [];
  if (path !== undefined && found !== undefined) {
    const name = before ?? inside!;
    const at = range.start + found.lastIndexOf(name);
    return { path: path.replace(/^…(?:\{\})?/, CONSTANT), constant: lastPart(file, at, name) };
  }
  if (path !== undefined) return { path };
  if (ONLY_NAME.test(text)) return isName ? { path: CONSTANT, constant: lastPart(file, range.start, text) } : undefined;
  const wrapper = WRAPPER.exec(text)?.[0].length;
  const args = wrapper === undefined ? [] : (readCall(file.text, range.start + wrapper, { bare: false })?.args ?? []);
  const [first] = args;
  if (/^(?:path|url)\.(?:Join|join)\(/.test(text)) return joined(args.map((it) => writtenPath(file, it)));
  if (args.length !== 1 || first === undefined) return undefined;
  const inner = writtenPath(file, first);
  const isPath = inner !== undefined && (inner.constant !== undefined || inner.path.startsWith("/"));
  return isPath ? { ...inner, open: true } : undefined;
}

/** `path.Join(prefix, "/x")`; at most one part may be a constant of another file. */
function joined(parts: readonly (WrittenPath | undefined)[]): WrittenPath | undefined {
  const known = parts.flatMap((it) => it ?? []);
  const constants = known.flatMap((it) => it.constant ?? []);
  if (known.length < parts.length || constants.length > 1) return undefined;
  const [constant] = constants;
  return { path: known.map(({ path }) => path).join("/"), ...(constant && { constant }) };
}

/** The paths of an argument that is a path or a list of them. */
export function writtenPaths(file: ConnectionFile, range: TextRange): WrittenPath[] {
  return listItems(file.text, range).flatMap((it) => writtenPath(file, it) ?? []);
}

function lastPart(file: ConnectionFile, at: number, name: string): ConnectionTarget {
  return file.siteAt(at + (/[A-Za-z_$][\w$]*$/.exec(name)?.index ?? 0));
}

const LANGUAGES: ReadonlySet<string> = new Set(
  "typescript javascript tsx python java kotlin scala csharp go rust php".split(" "),
);
const HOLDERS: ReadonlySet<string> = new Set(["const", "var", "field", "property", "variant"]);
const PATH_NAME = /rout|path|prefix|ur[li]|endpoint|api|base|version|controller|mapping/i;
const VALUE = /\s*(?::[^=\n]{0,60})?(?:[*\w]{1,20}\s*)?=\s*(["'`])(\/?[\w{}:.<>*-][\w{}:./<>*-]{0,100}|\/)\1/y;

/** Constants that may hold a path, for the routes of other files. */
export function readConstants(file: ConnectionFile): void {
  if (!LANGUAGES.has(file.language)) return;
  for (const [symbol, { kind, name, parent }] of file.symbols.entries()) {
    if (!HOLDERS.has(kind)) continue;
    const around = parent === undefined ? undefined : file.symbols[parent];
    if (!PATH_NAME.test(name) && !(around && PATH_NAME.test(around.name))) continue;
    VALUE.lastIndex = file.nameOf(symbol) + name.length;
    const value = VALUE.exec(file.text)?.[2];
    if (value === undefined) continue;
    const path = value.startsWith("/") ? value : `/${value}`;
    file.add(file.nameOf(symbol), { side: "constant", kind: "route", key: `ANY ${path}`, target: { symbol } });
  }
}

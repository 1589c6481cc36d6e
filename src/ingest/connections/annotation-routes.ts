/** Routes in annotations and attributes: Nest, Spring, JAX-RS, ASP.NET, Symfony, Actix and Rocket. One row per framework. */
import type { CodeSymbol } from "../../model/code.ts";
import { BASE, OWN_NAME, VERSION } from "../../model/connections.ts";
import type { TextRange } from "../file-names.ts";
import { type Argument, type CallArguments, listItems } from "./call.ts";
import type { ConnectionFile, ConnectionRule, NamedUse } from "./connections.ts";
import { addMount, addRoute, argumentNamed, CAPITAL_VERBS, VERBS } from "./route-facts.ts";
import { type WrittenPath, writtenPaths } from "./written-path.ts";

interface AnnotationRow {
  readonly languages: readonly string[];
  /** On a class: the prefix of its routes. */
  readonly prefixes: readonly string[];
  /** On a function: the method of its route. "": named by an argument, or any. */
  readonly methods: Readonly<Record<string, string>>;
  /** Arguments that hold the path, beside the first one without a name. */
  readonly path: readonly string[];
  /** A path that begins with `/` is not under the prefix of the class. */
  readonly absolute?: true;
  /** How a class names the one that it inherits its prefix from: groups `type` and `base`. */
  readonly inherits?: RegExp;
  /** A route may have a version in its path. */
  readonly versions?: true;
  /** Words that the framework replaces. */
  fill?(path: string, type: string, member: string): string;
}

const ECMASCRIPT = ["typescript", "javascript", "tsx"];
const wrapped = (before: string, after: string) =>
  Object.fromEntries(Object.entries(CAPITAL_VERBS).map(([name, method]) => [`${before}${name}${after}`, method]));

const ROWS: readonly AnnotationRow[] = [
  {
    ...{ languages: ECMASCRIPT, prefixes: ["Controller"], methods: { ...CAPITAL_VERBS, All: "ANY" }, path: ["path"] },
    versions: true,
  },
  {
    languages: ["java", "kotlin", "scala"],
    prefixes: ["RequestMapping"],
    methods: { ...wrapped("", "Mapping"), RequestMapping: "" },
    path: ["value", "path"],
    // One segment with dots, not the rest of the path.
    fill: (path) => path.replace(/\{(\w+):\.[+*]\}/g, "{$1}"),
    inherits: /\bclass\s+(?<type>\w+)(?:<[^{]{0,200}>)?\s+extends\s+(?:\w+\.)*(?<base>\w+)/,
  },
  {
    languages: ["csharp"],
    prefixes: ["Route"],
    methods: { ...wrapped("Http", ""), AcceptVerbs: "" },
    path: ["template"],
    absolute: true,
    inherits:
      /\bclass\s+(?<type>\w+)(?:<[^{]{0,200}>)?\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*:\s*(?:\w+\.)*(?!Controller(?:Base)?\b)(?<base>\w+)/,
    fill: (path, type, member) =>
      path
        .replaceAll("[controller]", type.replace(/Controller$/, ""))
        .replaceAll("[action]", member.replace(/Async$/, ""))
        .replace(/^~(?=\/)/, ""),
  },
  { languages: ["php"], prefixes: ["Route"], methods: { Route: "" }, path: ["path"] },
  {
    languages: ["rust"],
    prefixes: [],
    methods: VERBS,
    path: [],
  },
];

const TYPES: ReadonlySet<string> = new Set(["class", "interface", "struct", "record", "object"]);
const MEMBERS: ReadonlySet<string> = new Set(["method", "fn", "constructor"]);

function annotationRules(row: AnnotationRow): ConnectionRule[] {
  const { languages } = row;
  const names = [...new Set([...row.prefixes, ...Object.keys(row.methods)])];
  const marked = (use: NamedUse, file: ConnectionFile) => {
    if (!file.isAnnotation(use)) return undefined;
    const index = file.symbolAfter(use.end, ({ kind }) => TYPES.has(kind) || MEMBERS.has(kind));
    return index === undefined ? undefined : { index, symbol: file.symbols[index]!, call: file.call(use) };
  };
  return [
    {
      languages,
      names: row.prefixes,
      early: true,
      read(use, file) {
        const found = marked(use, file);
        if (found === undefined || !TYPES.has(found.symbol.kind)) return;
        const [{ path: prefix, ...rest } = { path: "" }] = pathsOf(row, found.call, file) ?? [];
        const type = found.symbol.name;
        const filled = (name: string) => row.fill?.(prefix, name, "[action]") ?? prefix;
        if (row.inherits)
          addMount(file, { at: use.at, path: filled(OWN_NAME), ...rest, target: { name: `${BASE}${type}` } });
        file.blocks.push({ start: use.at, end: found.symbol.span.end, prefix: filled(type), ...rest });
      },
    },
    {
      languages,
      names,
      read(use, file) {
        const method = row.methods[use.name];
        const found = marked(use, file);
        if (found === undefined || !MEMBERS.has(found.symbol.kind)) return;
        // ASP.NET: `[HttpPost]` beside `[Route("x")]`.
        if (method === undefined && isBesideMethod(row, use, file)) return;
        const paths = pathsOf(row, found.call, file) ?? beside(row, use, file);
        const type = file.symbols[found.symbol.parent ?? -1]?.name ?? "";
        if (row.prefixes.length > 0 && paths === undefined && !isInController(use, file)) return;
        for (const written of paths ?? [{ path: "" }])
          defineRoute(row, file, {
            use,
            ...written,
            methods: method ? [method] : methodsOf(found.call, file),
            type,
            ...found,
          });
      },
    },
  ];
}

interface AnnotatedRoute extends WrittenPath {
  readonly use: NamedUse;
  readonly methods: readonly string[];
  readonly type: string;
  readonly index: number;
  readonly symbol: CodeSymbol;
}

function defineRoute(row: AnnotationRow, file: ConnectionFile, it: AnnotatedRoute): void {
  const { use, methods, type, index, symbol } = it;
  const path = row.fill?.(it.path, type, symbol.name) ?? it.path;
  const fill = row.fill && ((whole: string) => row.fill!(whole, type, symbol.name));
  const absolute = row.absolute && /^~?\//.test(it.path);
  const owners = row.versions ? versionsOf(file, it) : absolute ? [] : inheritedBy(row, file, it);
  for (const on of owners.length > 0 ? owners : [undefined])
    addRoute(file, {
      at: use.at,
      methods,
      path,
      target: { symbol: index },
      constant: it.constant,
      ...(on !== undefined && { on }),
      ...(fill && { fill }),
      ...(absolute && { absolute }),
    });
}

/** The class that the class of a route has its prefix from, when it has none of its own. */
function inheritedBy({ inherits }: AnnotationRow, file: ConnectionFile, { use, symbol }: AnnotatedRoute): string[] {
  const around = symbol.parent === undefined ? undefined : file.symbols[symbol.parent];
  if (inherits === undefined || around === undefined || file.blocks.some((it) => isIn(it, use.at))) return [];
  const head = file.text.slice(around.span.start, Math.min(around.span.end, around.span.start + MAX_HEAD));
  const found = inherits.exec(head)?.groups;
  return found?.type === around.name ? [`${BASE}${found.base} ${around.name.replace(/Controller$/, "")}`] : [];
}

/** Attributes, the name and the bases of a class. */
const MAX_HEAD = 4_000;

/** The versions that Nest's `@Version("2")` on a route, or `version` of its controller, puts into its path. */
function versionsOf(file: ConnectionFile, { use, symbol }: AnnotatedRoute): string[] {
  if (!/\b[vV]ersion\b/.test(file.text)) return [];
  const around = symbol.parent === undefined ? undefined : file.symbols[symbol.parent];
  const before = file.text
    .slice(around?.span.start ?? 0, use.at)
    .split(/[;}]\s*\n/)
    .at(-1)!;
  const after = file.text.slice(use.end, symbol.span.end).split(/\)\s*\{/)[0]!;
  const head = around ? file.text.slice(Math.max(0, around.span.start - MAX_HEAD), use.at) : "";
  const written =
    /@Version\(([^)]*)\)/.exec(`${before}\n${after}`)?.[1] ??
    /@Controller\(\s*\{[^}]*\bversion\s*:\s*(\[[^\]]*\]|[^,}]*)/.exec(head)?.[1];
  if (written === undefined) return [];
  const named = [...written.matchAll(/["'](\w+)["']/g)].map((it) => `${VERSION}${it[1]}`);
  return written.includes("VERSION_NEUTRAL") ? [...named, VERSION] : named;
}

/** The path of `[Route("x")]` on the same function. */
function beside(row: AnnotationRow, use: NamedUse, file: ConnectionFile): WrittenPath[] | undefined {
  if (!row.absolute) return undefined;
  const around = file.text.slice(use.end, use.end + 300).split(/[{;]/)[0]!;
  const before = file.text
    .slice(Math.max(0, use.at - 200), use.at)
    .split(/[};]/)
    .at(-1)!;
  const found = /\bRoute\(\s*"([^"]*)"/.exec(around) ?? /\bRoute\(\s*"([^"]*)"/.exec(before);
  return found ? [{ path: found[1]! }] : undefined;
}

function isBesideMethod(row: AnnotationRow, use: NamedUse, file: ConnectionFile): boolean {
  const around =
    file.text
      .slice(Math.max(0, use.at - 200), use.at)
      .split(/[};]/)
      .at(-1)! + file.text.slice(use.end, use.end + 300).split(/[{;]/)[0]!;
  return Object.keys(row.methods).some((name) => new RegExp(`\\[\\s*${name}\\b|,\\s*${name}\\b`).test(around));
}

function isInController(use: NamedUse, file: ConnectionFile): boolean {
  return file.blocks.some((it) => isIn(it, use.at)) || /Controller\b/.test(file.text);
}

function isIn({ start, end }: TextRange, at: number): boolean {
  return start <= at && at < end;
}

function pathsOf(row: AnnotationRow, call: CallArguments | undefined, file: ConnectionFile): WrittenPath[] | undefined {
  const args = call?.args ?? [];
  const [first] = args;
  const inner = first && file.text[first.start] === "{" && row.path.length > 0 ? listItems(file.text, first) : [];
  const written: Argument | undefined =
    argumentNamed([...args, ...inner], ...row.path) ?? args.find(({ name }) => name === undefined);
  if (written === undefined) return undefined;
  const paths = writtenPaths(file, written);
  return paths.length > 0 ? paths : undefined;
}

/** `method = RequestMethod.POST`, `methods: ["GET", "POST"]`. */
function methodsOf(call: CallArguments | undefined, file: ConnectionFile): string[] {
  const named = argumentNamed(call?.args ?? [], "method", "methods");
  const found =
    named && file.text.slice(named.start, named.end).match(/\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b/g);
  return found ? [...found] : ["ANY"];
}

export const ANNOTATION_ROUTES = ROWS.flatMap(annotationRules);

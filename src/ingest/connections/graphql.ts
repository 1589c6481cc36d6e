/** GraphQL: fields of the root types, the resolvers that serve them, and the operations that ask for them. */
import { type EmbeddedText, embeddedTexts } from "../../languages/formats/embedded.ts";
import { plainText } from "./call.ts";
import type { ConnectionFile, ConnectionRule } from "./connections.ts";

const ROOT_NAMES = ["Query", "Mutation", "Subscription"];
const ROOTS: ReadonlySet<string> = new Set(ROOT_NAMES);
const ECMASCRIPT = ["javascript", "typescript", "tsx", "vue", "svelte"];

export function readGraphql(file: ConnectionFile): void {
  const { language, text } = file;
  if (language === "graphql") readDocument(file, { text, start: 0 });
  else if (text.includes("ql`") || text.includes("GraphQL") || text.includes("GQL"))
    for (const it of embeddedTexts(text)) if (it.language === "graphql") readDocument(file, it);
  if (ECMASCRIPT.includes(language) && ROOT_NAMES.some((root) => text.includes(`${root}:`))) readResolverMaps(file);
  if (RESOLVERS[language]) readResolverTypes(file, RESOLVERS[language]);
}

function define(file: ConnectionFile, at: number, root: string, field: string, symbol?: number): void {
  const target = symbol === undefined ? undefined : { symbol };
  file.add(at, { side: "definition", kind: "graphql", key: `${root}.${field}`, ...(target && { target }) });
}

function readDocument(file: ConnectionFile, { text, start }: Pick<EmbeddedText, "text" | "start">): void {
  file.symbols.forEach(({ kind, name, parent, span }, symbol) => {
    const root = parent === undefined ? "" : file.symbols[parent]!.name;
    if (kind === "field" && ROOTS.has(root) && span.start >= start && span.end <= start + text.length)
      define(file, span.start, root, name, symbol);
  });
  for (const it of text.matchAll(OPERATION)) {
    const root = it[1]![0]!.toUpperCase() + it[1]!.slice(1);
    for (const [field, at] of selections(text, it.index + it[0].length))
      file.add(start + at, { side: "use", kind: "graphql", key: `${root}.${field}` });
  }
}

const OPERATION =
  /(?<![\w{}:])(query|mutation|subscription)\b[ \t]*\w*\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*(?:@\w+\s*(?:\([^()]*\))?\s*)*\{/g;
const MOST_SELECTED = 100;

/** The fields of the outermost selection: `order(id: $id) { … }`, `mine: orders`. */
function selections(text: string, from: number): [string, number][] {
  const found: [string, number][] = [];
  let depth = 0;
  for (let i = from; i < text.length && found.length < MOST_SELECTED; i++) {
    const char = text[i]!;
    if (char === "{" || char === "(") depth++;
    else if (char === "}" || char === ")") {
      if (depth-- === 0) break;
    } else if (char === "#") i = (text.indexOf("\n", i) + 1 || text.length) - 1;
    else if (depth === 0 && /[\w.@$]/.test(char)) {
      const word = /^[\w.@$]+/.exec(text.slice(i, i + 200))![0];
      const isAlias = /^\s*:/.test(text.slice(i + word.length, i + word.length + 20));
      if (
        /^[A-Za-z_]\w*$/.test(word) &&
        !word.startsWith("__") &&
        !isAlias &&
        !/\.\.\.\s*(?:on\s*)?$/.test(text.slice(Math.max(0, i - 10), i))
      )
        found.push([word, i]);
      i += word.length - 1;
    }
  }
  return found;
}

/** `{ Query: { order: …, async user() {} } }`. */
function readResolverMaps(file: ConnectionFile): void {
  const { text } = file;
  for (const it of text.matchAll(/(?<![\w.])(Query|Mutation|Subscription):\s*\{/g)) {
    const open = it.index + it[0].length;
    for (const [field, at, isMethod] of members(text, open)) {
      const symbol = isMethod
        ? file.symbols.findIndex(({ name, span }) => name === field && span.start <= at && span.end > at)
        : -1;
      define(file, at, it[1]!, field, symbol < 0 ? undefined : symbol);
    }
  }
}

/** Keys of an object, and whether a function is written there. */
function members(text: string, from: number): [string, number, boolean][] {
  const found: [string, number, boolean][] = [];
  const key = /\s*(?:\/\/[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*(?:async\s+)?([A-Za-z_$][\w$]*)\s*(?=([(:,}]))/y;
  let depth = 0;
  let isStart = true;
  for (let i = from; i < text.length && i < from + MAX_MAP && found.length < MOST_SELECTED; i++) {
    if (isStart && depth === 0) {
      key.lastIndex = i;
      const it = key.exec(text);
      if (it) {
        found.push([it[1]!, it.index + it[0].lastIndexOf(it[1]!), it[2] === "(" || it[2] === ":"]);
        i = key.lastIndex;
      }
      isStart = false;
    }
    const char = text[i];
    if (char === undefined) break;
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) {
      if (depth-- === 0) break;
    } else if (char === "," && depth === 0) isStart = true;
    else if (char === '"' || char === "'" || char === "`") i = skipString(text, i);
  }
  return found;
}

const MAX_MAP = 60_000;

function skipString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === text[at]) return i;
  }
  return text.length;
}

interface ResolverRow {
  /** Of the file. */
  readonly word: string;
  /** The root type in the name of a type. */
  readonly type: RegExp;
  /** The field in the name of a method. */
  field(name: string): string | undefined;
}

const lowerFirst = (name: string) => name[0]!.toLowerCase() + name.slice(1);
const RESOLVERS: Readonly<Record<string, ResolverRow>> = {
  go: {
    word: "Resolver)",
    type: /^(query|mutation|subscription)Resolver$/i,
    field: (name) => (/^[A-Z]/.test(name) ? lowerFirst(name) : undefined),
  },
  python: {
    word: "resolve_",
    type: /^(Query|Mutation|Subscription)$/,
    field: (name) =>
      name.startsWith("resolve_") ? name.slice(8).replace(/_([a-z])/g, (_, it: string) => it.toUpperCase()) : undefined,
  },
  ruby: {
    word: "field :",
    type: /^(Query|Mutation|Subscription)(?:Type)?$/,
    field: (name) => name.replace(/_([a-z])/g, (_, it: string) => it.toUpperCase()),
  },
};

/** Resolvers that are methods of a type: gqlgen, Graphene, graphql-ruby. */
function readResolverTypes(file: ConnectionFile, { word, type, field }: ResolverRow): void {
  if (!file.text.includes(word)) return;
  file.symbols.forEach(({ kind, name, qualifiedName, span }, symbol) => {
    const root = kind === "method" ? type.exec(qualifiedName.split(/::|[.#]/).at(-2) ?? "")?.[1] : undefined;
    const found = root && field(name);
    if (found) define(file, span.start, root[0]!.toUpperCase() + root.slice(1), found, symbol);
  });
}

/** `@Query(() => [Order])` of Nest and TypeGraphQL, `@QueryMapping` of Spring, `@strawberry.field` in `class Query`. */
export const GRAPHQL_RULES: readonly ConnectionRule[] = [
  {
    languages: [...ECMASCRIPT, "java", "kotlin"],
    names: ["Query", "Mutation", "Subscription", "QueryMapping", "MutationMapping", "SubscriptionMapping"],
    read(use, file) {
      const isSpring = use.name.endsWith("Mapping");
      // `@Query` of Spring Data holds a statement, `@Query()` of Nest's controllers a parameter.
      if (!file.isAnnotation(use) || isSpring === ECMASCRIPT.includes(file.language)) return;
      if (!isSpring && !file.text.includes("@Resolver")) return;
      const symbol = file.symbolAfter(use.end, ({ kind }) => kind === "method" || kind === "fn");
      if (symbol === undefined) return;
      const args = file.call(use)?.args ?? [];
      const first = args.find(({ name }) => name === undefined || name === "name" || name === "value");
      const options = args.at(-1);
      const named =
        (first && plainText(file.text, first)) ??
        (options && /\bname:\s*["'](\w+)["']/.exec(file.text.slice(options.start, options.end))?.[1]);
      define(file, use.at, use.name.replace(/Mapping$/, ""), named || file.symbols[symbol]!.name, symbol);
    },
  },
  {
    languages: ["python"],
    names: ["field", "mutation", "subscription"],
    read(use, file) {
      if (use.receiver !== "strawberry" || !file.isAnnotation(use)) return;
      const symbol = file.symbolAfter(use.end, ({ kind }) => kind === "method" || kind === "fn");
      const { name, parent } = file.symbols[symbol ?? -1] ?? {};
      const root = parent === undefined ? "" : file.symbols[parent]!.name;
      if (name !== undefined && ROOTS.has(root))
        define(
          file,
          use.at,
          root,
          name.replace(/_([a-z])/g, (_, it: string) => it.toUpperCase()),
          symbol,
        );
    },
  },
];

/** Runs a language's queries over a tree and turns their matches into raw definitions. */
import type { Query, Tree } from "web-tree-sitter";
import type { RawDefinition } from "../../ports/grammars.ts";
import { ANY_DEPTH, Captures } from "./captures.ts";
import type { Runtime } from "./runtime.ts";

export interface SymbolQuery {
  readonly query: Query;
  /** How deep in the tree a match may begin. */
  readonly maxDepth: number;
}

/** Divides a query's source: what follows begins at most so deep, which spares the cursor the rest of the tree. */
const SECTION = /^;; -+ starting at most (\d+) deep -+$/m;

/**
 * The sections of a query, each compiled. A pattern that names the root of the file would be kept in mind by the
 * cursor at every node of it; limiting the depth instead took JavaScript's query from 8.5 to 12.7 MB/s.
 */
export function compileQueries(source: string, compile: (source: string) => Query): SymbolQuery[] {
  const [first = "", ...rest] = source.split(SECTION);
  const sections = [{ source: first, maxDepth: ANY_DEPTH }];
  for (let i = 0; i < rest.length; i += 2) sections.push({ source: rest[i + 1]!, maxDepth: Number(rest[i]) });
  return sections.map(({ source, maxDepth }) => ({ query: compile(source), maxDepth }));
}

interface Source {
  readonly tree: Tree;
  readonly text: string;
  readonly isLate: () => boolean;
}

/** All definitions of the tree; undefined when `isLate` cut the run short. */
export function readMatches(
  runtime: Runtime,
  queries: readonly SymbolQuery[],
  { tree, text, isLate }: Source,
): RawDefinition[] | undefined {
  const definitions: RawDefinition[] = [];
  const wrappers: Wrappers = new Map();
  let late = false;
  const stop = () => {
    late ||= isLate();
    return late;
  };
  for (const { query, maxDepth } of queries) {
    const captures = new Captures(runtime, query, tree, { text, maxDepth, isLate: stop });
    while (captures.next()) {
      const definition = definitionOf(captures, query.captureNames, text, wrappers);
      if (definition) definitions.push(definition);
    }
    if (late) return undefined;
  }
  return wrappers.size === 0 ? definitions : definitions.map((it) => wrapped(it, wrappers));
}

type Extent = Pick<RawDefinition, "start" | "end" | "startRow" | "endRow">;
/** What wraps the node that starts at an offset. */
type Wrappers = Map<number, Extent>;
/** Captures by what they are to the definition: their positions in the match. */
type Roles = Partial<Record<"name" | "body" | "outer" | "inner" | "last" | "scope", number>>;

function definitionOf(
  it: Captures,
  names: readonly string[],
  text: string,
  wrappers: Wrappers,
): RawDefinition | undefined {
  let kind: string | undefined;
  let whole: number | undefined;
  const roles: Roles = {};
  const texts: { scope?: string; vis?: string; doc?: string } = {};
  for (let i = 0; i < it.count; i++) {
    const role = names[it.name(i)]!;
    if (role === "name" || role === "outer" || role === "inner" || role === "last") roles[role] = i;
    else if (role === "body") roles.body ??= i;
    else if (role === "scope") {
      roles.scope ??= i;
      texts.scope = text.slice(it.start(roles.scope), it.end(i));
    } else if (role === "vis" || role === "doc") texts[role] ??= text.slice(it.start(i), it.end(i));
    else if (role.startsWith("def.")) {
      kind = role.slice(4);
      whole = i;
    }
  }
  const { name, body, outer, inner, last } = roles;
  if (inner !== undefined && outer !== undefined) wrappers.set(it.start(inner), extentOf(it, text, outer));
  if (kind === undefined || whole === undefined || name === undefined) return undefined;
  const extent = extentOf(it, text, outer ?? whole, last ?? body);
  const bodyStart = body !== undefined && { bodyStart: it.start(body) };
  return { kind, nameStart: it.start(name), nameEnd: it.end(name), ...extent, ...bodyStart, ...texts };
}

/** Widened to what wraps it: `export`, decorators, `template <…>`, one in another. */
function wrapped(it: RawDefinition, wrappers: Wrappers): RawDefinition {
  let wide = it;
  for (let wrapper = wrappers.get(it.start); wrapper; wrapper = wrappers.get(wrapper.start)) {
    if (wrapper.start >= wide.start || wrapper.end < wide.end) break;
    wide = { ...wide, ...wrapper };
  }
  return wide;
}

/**
 * Up to the end of `beside`, a body or another part that stands next to the definition (Dart), and without white space
 * at the end: layout rules and directives count the line break after them (Scala, Haskell, the C preprocessor).
 */
function extentOf(it: Captures, text: string, node: number, beside?: number): Extent {
  const start = it.start(node);
  const last = beside !== undefined && it.start(beside) >= it.end(node) ? beside : node;
  let end = it.end(last);
  let endRow = it.endRow(last);
  for (; end > start && text.charCodeAt(end - 1) <= 0x20; end--) {
    if (text[end - 1] === "\n") endRow--;
  }
  return { start, end, startRow: it.startRow(node), endRow };
}

/** Runs a language's queries over a tree, and reads what they found. */
import type { Tree } from "web-tree-sitter";
import { EDGE_ROLES, type EdgeRole, type RawEdges } from "../../model/edges.ts";
import type { RawDefinition } from "../../ports/grammars.ts";
import { Captures } from "./captures.ts";
import type { Queries } from "./queries.ts";

interface Source {
  readonly tree: Tree;
  readonly text: string;
  readonly isLate: () => boolean;
}

export interface TreeReading {
  readonly definitions: readonly RawDefinition[];
  /** Read on demand: of two readings of a file, one is thrown away. */
  edges(): RawEdges | undefined;
}

/** Undefined when `isLate` cut it short. */
export function readTree(queries: Queries, { tree, text, isLate }: Source): TreeReading | undefined {
  let late = false;
  const stop = () => {
    late ||= isLate();
    return late;
  };
  const all: Captures[] = [];
  for (const { query, maxDepth } of queries.sections) {
    // A query is stopped at its hundredth step at the soonest, and in a hostile tree one step takes long.
    if (!late) all.push(new Captures(query, tree, { maxDepth, isLate: stop }));
  }
  if (late) return undefined;
  const first = all[0]!;
  first.rewind(queries.symbols);
  const definitions = readDefinitions(all, text);
  const edges = () => {
    if (queries.edges === undefined) return undefined;
    first.rewind(queries.edges);
    return readEdges(first);
  };
  return { definitions, edges };
}

function readDefinitions(all: readonly Captures[], text: string): RawDefinition[] {
  const definitions: RawDefinition[] = [];
  const wrappers: Wrappers = new Map();
  for (const captures of all) {
    while (captures.next()) {
      const definition = definitionOf(captures, text, wrappers);
      if (definition) definitions.push(definition);
    }
  }
  return wrappers.size === 0 ? definitions : definitions.map((it) => wrapped(it, wrappers));
}

type Extent = Pick<RawDefinition, "start" | "end" | "startRow" | "endRow">;
/** What wraps the node that starts at an offset. */
type Wrappers = Map<number, Extent>;

/** There is one for every symbol of every file, so all have one shape, also where nothing is known. */
function definitionOf(it: Captures, text: string, wrappers: Wrappers): RawDefinition | undefined {
  let kind: string | undefined;
  let [whole, name, body, outer, inner, last, owner]: (number | undefined)[] = [];
  let [scope, vis, doc]: (string | undefined)[] = [];
  for (let i = 0; i < it.count; i++) {
    const role = it.name(i);
    if (role === "name") name = i;
    else if (role === "body") body ??= i;
    else if (role === "outer") outer = i;
    else if (role === "inner") inner = i;
    else if (role === "last") last = i;
    else if (role === "scope") {
      owner ??= i;
      scope = text.slice(it.start(owner), it.end(i));
    } else if (role === "vis") vis ??= text.slice(it.start(i), it.end(i));
    else if (role === "doc") doc ??= text.slice(it.start(i), it.end(i));
    else if (role.startsWith("def.")) {
      kind = role.slice(4);
      whole = i;
    }
  }
  if (inner !== undefined && outer !== undefined) wrappers.set(it.start(inner), extentOf(it, text, outer));
  if (kind === undefined || whole === undefined || name === undefined) return undefined;
  const { start, end, startRow, endRow } = extentOf(it, text, outer ?? whole, last ?? body);
  const [nameStart, nameEnd] = [it.start(name), it.end(name)];
  const bodyStart = body === undefined ? undefined : it.start(body);
  return { kind, start, end, startRow, endRow, nameStart, nameEnd, bodyStart, scope, vis, doc };
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

const ROLES: ReadonlySet<string> = new Set(EDGE_ROLES);

/** Captures leave as plain numbers. */
function readEdges(captures: Captures): RawEdges {
  const roles: EdgeRole[] = [];
  const [starts, ends, matches]: [number[], number[], number[]] = [[], [], []];
  for (let match = 0; captures.next(); match++) {
    for (let i = 0; i < captures.count; i++) {
      const role = captures.name(i);
      if (!ROLES.has(role)) continue;
      roles.push(role as EdgeRole);
      starts.push(captures.start(i));
      ends.push(captures.end(i));
      matches.push(match);
    }
  }
  return { roles, starts, ends, matches };
}

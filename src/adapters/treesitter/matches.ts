/** Turns the matches of a language's `symbols.scm` into raw definitions. */
import type { RawDefinition } from "../../ports/grammars.ts";
import type { Captures } from "./captures.ts";

export function readDefinitions(all: readonly Captures[], text: string): RawDefinition[] {
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

/** How many of the definitions that `readDefinitions` would find are of such an extent. */
export function countDefinitions(captures: Captures, isMeant: (start: number, end: number) => boolean): number {
  let count = 0;
  while (captures.next()) {
    const whole = wholeOf(captures);
    if (whole !== undefined && isMeant(captures.start(whole), captures.end(whole))) count++;
  }
  return count;
}

/** The capture that is a definition, if it has a name. */
function wholeOf(it: Captures): number | undefined {
  let whole: number | undefined;
  let named = false;
  for (let i = 0; i < it.count; i++) {
    const role = it.name(i);
    if (role === "name") named = true;
    else if (role.startsWith("def.")) whole = i;
  }
  return named ? whole : undefined;
}

type Extent = Pick<RawDefinition, "start" | "end" | "startRow" | "endRow">;
/** What wraps the node that starts at an offset. */
type Wrappers = Map<number, Extent>;
/** Captures by what they are to the definition: their positions in the match. */
type Roles = Partial<Record<"name" | "body" | "outer" | "inner" | "last" | "scope", number>>;

function definitionOf(it: Captures, text: string, wrappers: Wrappers): RawDefinition | undefined {
  let kind: string | undefined;
  let whole: number | undefined;
  const roles: Roles = {};
  const texts: { scope?: string; vis?: string; doc?: string } = {};
  for (let i = 0; i < it.count; i++) {
    const role = it.name(i);
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

/** Definitions of the SQL and GraphQL in strings of a file, at their positions in the file. */
import { type EmbeddedText, embeddedTexts } from "../languages/formats/embedded.ts";
import { languageById } from "../languages/index.ts";
import type { RawEdges } from "../model/edges.ts";
import type { Parsed, RawDefinition } from "../ports/grammars.ts";
import { lineAt } from "../text/lines.ts";

/** Names of a query's own parts are no definitions. */
const LEFT_OUT: ReadonlySet<string> = new Set(["use", "var"]);

export function withEmbedded(parsed: Parsed, text: string, lineStarts: readonly number[]): Parsed {
  const definitions: RawDefinition[] = [];
  const scopes: EmbeddedText[] = [];
  for (const it of embeddedTexts(text)) {
    // A query defines nothing, and the patterns of SQL are slow to make.
    if (it.language === "sql" && !/\bcreate\b/i.test(it.text)) continue;
    const found = definitionsIn(it, text, lineStarts);
    definitions.push(...found);
    if (found.length > 0) scopes.push(it);
  }
  if (scopes.length === 0) return parsed;
  const all = { ...parsed, definitions: [...parsed.definitions, ...definitions] };
  return parsed.edges ? { ...all, edges: withScopes(parsed.edges, scopes) } : all;
}

function definitionsIn(it: EmbeddedText, text: string, lineStarts: readonly number[]): RawDefinition[] {
  const { language, start: from } = it;
  const { nameOf, read } = languageById(language)!;
  const content = it.text.trimEnd();
  // The last statement in a string has no terminator.
  const found = read!(`${content};`).definitions.filter(({ kind }) => !LEFT_OUT.has(kind));
  const row = found.length === 0 ? 0 : lineAt(lineStarts, from) - 1;
  return found.map((it) => ({
    ...it,
    language,
    name: nameOf?.(text.slice(from + it.nameStart, from + it.nameEnd), it.kind),
    start: from + it.start,
    end: from + Math.min(it.end, content.length),
    startRow: row + it.startRow,
    endRow: row + it.endRow,
    nameStart: from + it.nameStart,
    nameEnd: from + it.nameEnd,
    ...(bodyOf(it) !== undefined && { bodyStart: from + bodyOf(it)! }),
  }));
}

/** A function of SQL ends with its statement; it is no prototype. */
function bodyOf({ kind, bodyStart, nameEnd }: RawDefinition): number | undefined {
  return bodyStart ?? (kind === "fn" ? nameEnd : undefined);
}

/** Names of the host language mean no definition in a string: the string, with its quotes, is a scope of its own. */
function withScopes(edges: RawEdges, texts: readonly EmbeddedText[]): RawEdges {
  const first = (edges.matches.at(-1) ?? 0) + 1;
  return {
    roles: [...edges.roles, ...texts.map(() => "scope" as const)],
    starts: [...edges.starts, ...texts.map(({ start }) => start - 1)],
    ends: [...edges.ends, ...texts.map(({ end }) => end + 1)],
    matches: [...edges.matches, ...texts.map((_, i) => first + i)],
  };
}

/** Parses a file's text as its grammar sees it best: without what it stumbles over, and once more after errors. */
import type { Language } from "../languages/define.ts";
import type { RawEdges } from "../model/edges.ts";
import type { Grammars, Parsed } from "../ports/grammars.ts";

/** Both tries keep every offset, so the result speaks of `text`. */
export async function parse(
  language: Language,
  text: string,
  grammars: Grammars,
  budgetMs: number,
  only?: "definitions",
): Promise<Parsed> {
  const { id, quiet, secondTry: simpler } = detectDialect(text, language);
  await grammars.prepare([id]);
  const seen = quiet?.(text) ?? text;
  const best = grammars.parse(id, seen, budgetMs, { ...(only && { only }), ...(simpler && { simpler }) });
  return best.edges === undefined || seen === text ? best : { ...best, edges: withHidden(best.edges, text, seen) };
}

function detectDialect(text: string, language: Language): Language {
  return language.dialect?.isSpokenIn(text) ? language.dialect.language : language;
}

const WORD = /[A-Za-z_]\w*/g;

/** Names that the grammar was not shown are used all the same. */
function withHidden(edges: RawEdges, text: string, seen: string): RawEdges {
  const [roles, starts, ends, matches] = [[...edges.roles], [...edges.starts], [...edges.ends], [...edges.matches]];
  let match = (matches.at(-1) ?? 0) + 1;
  for (let at = differsAt(text, seen, 0); at < text.length; at = differsAt(text, seen, at + 1)) {
    const from = at;
    while (at < text.length && seen[at] === " " && text[at] !== "\n") at++;
    for (const { 0: word, index } of text.slice(from, at).matchAll(WORD)) {
      roles.push("ref");
      starts.push(from + index);
      ends.push(from + index + word.length);
      matches.push(match++);
    }
  }
  return { roles, starts, ends, matches };
}

/** A function of its own: as part of that loop it was optimised and given up again 80 times in a million lines. */
function differsAt(text: string, seen: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) === seen.charCodeAt(at)) at++;
  return at;
}

/**
 * SQL and GraphQL in strings of other languages: tagged templates, heredocs, and strings that begin with a statement. Finds
 * them in the text, without a grammar, so that one table serves every language.
 */

export interface EmbeddedText {
  readonly language: "sql" | "graphql";
  /** Without the quotes. */
  readonly start: number;
  readonly end: number;
  /** Of the same length: what joins the parts of a string is blanked out. */
  readonly text: string;
}

/** What announces an embedded text, before its opening quote. */
const TAGS: readonly { readonly language: EmbeddedText["language"]; readonly name: string; readonly hint: string }[] = [
  { language: "graphql", name: "(?:gql|graphql)", hint: "/\\*\\s*GraphQL\\s*\\*/" },
  { language: "sql", name: "(?:sql|SQL|[Pp]risma\\.sql)(?:<[^<>`\\n]*>)?", hint: "/\\*\\s*sql\\s*\\*/" },
];

const STATEMENTS = [
  "create\\s+(?:or\\s+replace\\s+|temp(?:orary)?\\s+|unlogged\\s+|virtual\\s+|materialized\\s+|unique\\s+)*(?:table|view|index|type|function|procedure|trigger|schema)",
  "(?:alter|drop|truncate)\\s+table",
  "select\\s",
  "insert\\s+(?:or\\s+\\w+\\s+|ignore\\s+)?into",
  "replace\\s+into",
  "update\\s+\\S+\\s+(?:as\\s+\\w+\\s+)?set",
  "delete\\s+from",
  "merge\\s+into",
  "with\\s+(?:recursive\\s+)?\\w+\\s*(?:\\([^()]*\\)\\s*)?as\\s*\\(",
];

/** In capitals or without any: "Select a file" is a sentence. */
const STATEMENT = `(?:${STATEMENTS.join("|")}|${STATEMENTS.map(inCapitals).join("|")})`;
const OPENINGS = {
  tag: TAGS.map(
    ({ name, hint }, i) =>
      `(?:(?:(?<![\\w"'\`/@.$-])${name}|${hint})\\s*(?:(?<tag${i}>"""|'''|\`)|\\(\\s*(?<call${i}>"""|'''|[\`"'])))`,
  ).join("|"),
  heredoc: `(?:<<[<~-]?[ \\t]*["']?(?<word>\\w*(?:SQL|GRAPHQL|GQL)\\b|[A-Za-z_]\\w*(?=[^\\n]*\\n\\s*${STATEMENT}))["']?[^\\n]*(?=\\n))`,
  quote: `(?:(?<quote>"""|'''|["'\`])(?=\\s*${STATEMENT}))`,
};
/** Every tag has one of these; few words do, so that a text is passed over fast. */
const IN_TAGS = ["ql", "QL"];

const compiled = new Map<string, RegExp>();

/** Without the forms that the text cannot have: a pattern that begins with a quote is four times as fast. */
function openingsOf(text: string): RegExp {
  const forms = [
    ...(IN_TAGS.some((word) => text.includes(word)) ? [OPENINGS.tag] : []),
    ...(text.includes("<<") ? [OPENINGS.heredoc] : []),
    OPENINGS.quote,
  ].join("|");
  const pattern = compiled.get(forms) ?? new RegExp(forms, "g");
  compiled.set(forms, pattern);
  pattern.lastIndex = 0;
  return pattern;
}

function inCapitals(pattern: string): string {
  return pattern.replace(/(\\\w)|[a-z]/g, (letter, escaped?: string) => escaped ?? letter.toUpperCase());
}

/** Longer strings are data. */
const MAX_LENGTH = 200_000;
/** In front of a statement that a comment quotes. */
const COMMENT = /^\s*\*|(?:^|\s)(?:\/\/|#|--|;;)\s/;

/** Heredocs without an end; more of them are no heredocs. */
const MOST_UNENDED = 50;

let last: { readonly text: string; readonly found: readonly EmbeddedText[] } = { text: "", found: [] };

/** In the order of the text; none is inside of another. Several readers ask for those of a file, so the last are kept. */
export function embeddedTexts(text: string): readonly EmbeddedText[] {
  if (last.text !== text) last = { text, found: findTexts(text) };
  return last.found;
}

function findTexts(text: string): EmbeddedText[] {
  const found: EmbeddedText[] = [];
  const opening = openingsOf(text);
  let unended = 0;
  for (let it = opening.exec(text); it && unended < MOST_UNENDED; it = opening.exec(text)) {
    const { word, quote, tag0, tag1, call0, call1 } = it.groups!;
    const start = it.index + it[0].length;
    const isGraphql = (tag0 ?? call0) !== undefined || (word !== undefined && /G(?:RAPH)?QL$/.test(word));
    const mark = quote ?? tag0 ?? tag1 ?? call0 ?? call1;
    const end = mark === undefined ? heredocEnd(text, start, word!) : stringEnd(text, start, mark);
    if (end === undefined) unended++;
    if (end === undefined || COMMENT.test(text.slice(lineStart(text, it.index), it.index))) continue;
    const content = text.slice(start, end);
    const isJoined = mark === '"' || mark === "'";
    found.push({
      ...{ language: isGraphql ? "graphql" : "sql", start, end },
      text: isJoined ? content.replace(JOINTS, blank) : content,
    });
    opening.lastIndex = end;
  }
  return found;
}

/** Of a long line, the last part: a line may be the whole file. */
function lineStart(text: string, at: number): number {
  const from = Math.max(0, at - 200);
  return from + text.slice(from, at).lastIndexOf("\n") + 1;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

function heredocEnd(text: string, start: number, word: string): number | undefined {
  const close = new RegExp(`\\n[ \\t]*${word}\\b`, "g");
  close.lastIndex = start;
  return close.exec(text)?.index;
}

/** Strings that are joined (`"SELECT a " + "FROM b"`) are one text. */
const JOINT = /["'](?:\s*(?:\+|\.{1,2}|<>|&|\\)?\s*)[a-zA-Z]?["'](?!["'])/;
const [JOINED, JOINTS] = [new RegExp(JOINT, "y"), new RegExp(JOINT, "g")];

function stringEnd(text: string, start: number, quote: string): number | undefined {
  // `r##"…"##` of Rust.
  const raw = quote === '"' ? (/r(#+)$/.exec(text.slice(Math.max(0, start - 10), start - 1))?.[1] ?? "") : "";
  const close = quote + raw;
  const limit = Math.min(text.length, start + MAX_LENGTH);
  for (let at = start; at < limit; at++) {
    if (text[at] === "\\") at++;
    else if (text.startsWith(close, at)) {
      JOINED.lastIndex = at;
      const next = (quote === '"' || quote === "'") && raw === "" ? JOINED.exec(text) : null;
      if (!next) return at;
      at += next[0].length - 1;
    }
  }
  return undefined;
}

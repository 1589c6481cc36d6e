/** 500 hostile patterns: they blow up backtracking engines, automata, parsers or memory. */

/** Texts to match: runs of one letter, of two, near misses. */
export const EVIL_TEXTS: readonly string[] = [
  `${"a".repeat(50_000)}!`,
  Array.from({ length: 50_000 }, (_, i) => "ab"[(Math.imul(i, 2654435761) >>> 13) & 1]).join(""),
  `${"ab ".repeat(10_000)}\n${"x=1;".repeat(5_000)}\n${"0".repeat(20_000)}`,
];

const BACKTRACKING = (n: number) => [
  `^(a+)+$`,
  `^(a|a)*${"a?".repeat(n)}${"a".repeat(n)}b$`,
  `(a*)*{1}b`.replace("{1}", ""),
  `(a|aa)+c`,
  `(.*){${n}}x`,
  `([a-z]+)*[0-9]{${n}}`,
  `(x+x+)+y`,
  `^(([a-z])+.)+[A-Z]([a-z])+$`,
  `(a?){${n}}a{${n}}z`,
  `(?:a+){${n}}b`,
  `(\\w+\\s?)*!{${n}}`,
  `^(?:(?:a|b)*c){${n}}`,
];

/** Each needs one state per subset of the last n characters. */
const SUBSETS = (n: number) => [
  `[ab]*a[ab]{${n}}c`,
  `(?:a|b)*a(?:a|b){${n}}[^ab]`,
  `a.{${n}}b.{${n}}c`,
  `(?i)[a-z]*x[a-z]{${n}}[0-9]`,
  `\\w*a\\w{${n}}\\W\\w{${n}}$`,
  `(a.{${n}}|b.{${n + 1}})c`,
];

const SIZES = (n: number) => [
  `a{${n * 100}}`,
  `(?:a{${n}}){${n}}`,
  `((a{${n}}){${n}}){${n}}`,
  `(?:\\p{L}{${n}}){${n}}`,
  "(".repeat(n * 3) + ")".repeat(n * 3),
  "[".repeat(n * 5),
  "(?:".repeat(n),
  `${"a|".repeat(n * 50)}b`,
  `[${Array.from({ length: n }, (_, i) => String.fromCodePoint(0x4e00 + i * 2)).join("")}]+x`,
  `${Array.from({ length: n * 5 }, (_, i) => `[${String.fromCodePoint(0x4e00 + i * 3)}-${String.fromCodePoint(0x5e00 + i * 3)}]?`).join("")}z`,
  "(((){999}){999}){999}a".repeat(n),
  `${"(?i)".repeat(n)}${"k".repeat(n)}`,
  "\\b".repeat(n * 10),
  `${"^*".repeat(n)}$`,
  `(?x)${" # comment\n".repeat(n)}a`,
];

/** Not patterns at all. */
const BROKEN = [
  "(",
  ")",
  "[",
  "[z-a]",
  "*",
  "+a",
  "?",
  "{1}",
  "a{2,1}",
  "\\",
  "\\xZZ",
  "(?<",
  "(?P<n",
  "(?=a)",
  "(?<=a)b",
];

export const EVIL_PATTERNS: readonly string[] = patterns();

function patterns(): string[] {
  const all = [...BROKEN, "\\1", "(?i", "[[:foo", "\\p{No Such}", "\\u{110000}", "\0", "\n", "a\\nb"];
  for (let n = 5; all.length < 500; n += 8) all.push(...BACKTRACKING(n), ...SUBSETS(n), ...SIZES(Math.min(n, 60)));
  return all.slice(0, 500);
}

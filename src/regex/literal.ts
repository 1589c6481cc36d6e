/** Plain texts that every match of a pattern contains: `indexOf` finds them several times faster than an automaton. */
import type { CharSet } from "./char-set.ts";
import type { Node } from "./syntax.ts";

export interface Literals {
  /** Every match contains one of these. */
  readonly texts: readonly string[];
  /** The pattern is nothing but these texts. */
  readonly whole: boolean;
  /** The texts are in lower case and must be searched in lower-case text. */
  readonly folded: boolean;
}

/** Shorter text occurs in too many lines to be a useful filter. */
const SHORTEST = 3;
/** Searching more texts one by one takes as long as the automaton. */
const MOST_TEXTS = 4;

export function findLiterals(node: Node): Literals | undefined {
  const branches = node.kind === "alt" ? node.parts : [node];
  if (branches.length > MOST_TEXTS) return undefined;
  const found = branches.map((branch) => longest(branch, itself));
  const whole = branches.every((branch, i) => found[i] !== "" && spells(branch) === found[i]);
  const isWorthIt = found.every((text) => text.length >= SHORTEST) || (whole && branches.length === 1);
  return isWorthIt ? { texts: found, whole, folded: false } : foldedLiterals(branches);
}

/** Of a pattern that ignores case. */
function foldedLiterals(branches: readonly Node[]): Literals | undefined {
  const texts = branches.map((branch) => longest(branch, lowerCase));
  return texts.every((text) => text.length >= SHORTEST) ? { texts, whole: false, folded: true } : undefined;
}

/** The text in lower case; undefined if that would move or lose a match. */
export function loweredFor({ texts }: Literals, text: string): string | undefined {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return undefined;
  return text.includes(LONG_S) && texts.some((one) => one.includes("s")) ? undefined : lower;
}

/** Equals `s` when case is ignored, although it is in lower case already. */
const LONG_S = "\u017f";
/** No letter has more spellings. */
const MOST_SPELLINGS = 4;

type CharOf = (set: CharSet) => string | undefined;

function itself(set: CharSet): string | undefined {
  return isSingle(set) ? String.fromCodePoint(set[0]!) : undefined;
}

/** The lower-case form that all members share. */
function lowerCase(set: CharSet): string | undefined {
  const members: string[] = [];
  for (let i = 0; i < set.length; i += 2) {
    if (set[i + 1]! - set[i]! >= MOST_SPELLINGS) return undefined;
    for (let code = set[i]!; code <= set[i + 1]!; code++) members.push(String.fromCodePoint(code));
  }
  const lower = new Set(members.filter((one) => one !== LONG_S).map((one) => one.toLowerCase()));
  const [only] = lower;
  // Sigma's lower case depends on its neighbours.
  return lower.size === 1 && only!.length === 1 && only !== "σ" ? only : undefined;
}

/** The longest run of adjacent single characters that every match contains. */
function longest(node: Node, charOf: CharOf): string {
  let run = "";
  let best = "";
  const cut = () => {
    if (run.length > best.length) best = run;
    run = "";
  };
  const visit = (node: Node): void => {
    if (node.kind === "cat") node.parts.forEach(visit);
    else if (node.kind === "set") {
      const char = charOf(node.set);
      if (char === undefined) cut();
      else run += char;
    } else if (node.kind === "repeat") {
      cut();
      if (node.min > 0) visit(node.node);
      cut();
    } else if (node.kind === "alt" || node.kind === "byte") cut();
  };
  visit(node);
  cut();
  return best;
}

/** The text, when the node is single characters only. */
function spells(node: Node): string | undefined {
  if (node.kind === "set") return itself(node.set);
  if (node.kind !== "cat") return node.kind === "empty" ? "" : undefined;
  const parts = node.parts.map(spells);
  return parts.includes(undefined) ? undefined : parts.join("");
}

function isSingle(set: readonly number[]): boolean {
  return set.length === 2 && set[0] === set[1];
}

/** The next place of any of several texts, going forward only: each is looked for once in every stretch. */
export class TextFinder {
  readonly text: string;
  private readonly wanted: readonly string[];
  /** By text: its next offset at or after the last requested one; -1 if none. */
  private readonly places: Int32Array;
  private last = 0;

  constructor(wanted: readonly string[], text: string) {
    this.wanted = wanted;
    this.text = text;
    this.places = Int32Array.from(wanted, (one) => text.indexOf(one));
  }

  /** Next offset at or after `from`, or -1. A smaller `from` than before restarts the search. */
  next(from: number): number {
    const anew = from < this.last;
    this.last = from;
    let first = -1;
    for (let i = 0; i < this.wanted.length; i++) {
      let at = this.places[i]!;
      if (anew || (at >= 0 && at < from)) {
        at = this.text.indexOf(this.wanted[i]!, from);
        this.places[i] = at;
      }
      if (at >= 0 && (first < 0 || at < first)) first = at;
    }
    return first;
  }
}

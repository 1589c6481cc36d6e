/** Names that code puts together at run time: `getattr(self, "do_" + command)`, `` this[`on${event}`] ``, `"task_$1"`. */

/** The constant parts of a string: what a name must begin and end with. */
interface Frame {
  readonly before: string;
  readonly after: string;
}

/** Shorter parts fit names by chance; two letters do where a capital follows: `` `on${event}` ``. */
const ENOUGH_LETTERS = 3;
const LEAST_LETTERS = 2;
const LETTERS = "[\\p{L}\\p{N}_:-]{0,64}";
const HOLE = "(?:[$#]?\\{[^{}\\n]{0,80}\\}|\\$(?:\\d|[\\p{L}_][\\p{L}\\p{N}_]*)|\\\\\\([^()\\n]{0,80}\\)|%[sv])";
const FRAME = `(${LETTERS})${HOLE}(?:[\\p{L}\\p{N}_:-]{0,64}${HOLE}){0,4}(${LETTERS})`;
/** A string of nothing but a name's letters and at least one hole. */
const IN_QUOTES = new RegExp(`(?<quote>["'\`])${FRAME}\\k<quote>`, "gu");
/** The shell needs no quotes. */
const IN_WORD = new RegExp(`(?<=^|[\\s"'(;|&\`])${FRAME}(?=$|[\\s"');|&\`])`, "gmu");
/** PHP's dot needs blanks here: elsewhere it is the access to a member. */
const PLUS = "(?:\\s*(?:\\+|\\.\\.|<>)\\s*|\\s+\\.\\s+)";
const BEFORE_PLUS = new RegExp(`(["'])([\\p{L}\\p{N}_:-]{${LEAST_LETTERS},64})\\1(?=${PLUS})`, "gu");
const AFTER_PLUS = new RegExp(`(?<=${PLUS})(["'])([\\p{L}\\p{N}_:-]{${LEAST_LETTERS},64})\\1`, "gu");

/** Names of one language that its code may put together. */
export class ComposedNames {
  readonly #frames = new Map<string, Frame>();

  read(text: string, isShell: boolean): void {
    for (const match of text.matchAll(isShell ? IN_WORD : IN_QUOTES)) {
      const [before, after] = match.slice(isShell ? 1 : 2);
      this.#add(before!, after!);
    }
    if (isShell) return;
    for (const [, , before] of text.matchAll(BEFORE_PLUS)) this.#add(before!, "");
    for (const [, , after] of text.matchAll(AFTER_PLUS)) this.#add("", after!);
  }

  mayBe(name: string): boolean {
    for (const { before, after } of this.#frames.values()) {
      const fits = name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
      if (!fits) continue;
      if (countLetters(before + after) >= ENOUGH_LETTERS || /^\p{Lu}/u.test(name.slice(before.length))) return true;
    }
    return false;
  }

  #add(before: string, after: string): void {
    if (countLetters(before + after) >= LEAST_LETTERS) this.#frames.set(`${before}\0${after}`, { before, after });
  }
}

function countLetters(text: string): number {
  return text.replace(/[^\p{L}\p{N}_]/gu, "").length;
}

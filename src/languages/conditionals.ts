/**
 * One way through `#if … #else … #endif`: the first branch of each is kept, the others and the directives are blanked
 * out. Branches that share a brace (`#if A` `for (;x;) {` `#else` `for (;;) {` `#endif`) leave no grammar a chance.
 */

const DIRECTIVE = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[ \t]*(.*)$/;

/** `text` with as many characters and lines. `isFalse` tells conditions whose first branch is not the one to keep. */
export function firstBranches(text: string, isFalse: (condition: string) => boolean): string {
  if (!text.includes("#")) return text;
  const open: { keep: boolean; taken: boolean }[] = [];
  const lines = text.split("\n").map((line) => {
    const [, word, condition = ""] = DIRECTIVE.exec(line) ?? [];
    if (word === undefined) return open.every((branch) => branch.keep) ? line : blank(line);
    step(open, word, isFalse(condition.trim()));
    return blank(line);
  });
  return lines.join("\n");
}

function step(open: { keep: boolean; taken: boolean }[], word: string, isFalse: boolean): void {
  if (word === "endif") {
    open.pop();
    return;
  }
  if (word.startsWith("if")) {
    const keep = word === "ifndef" || !isFalse;
    open.push({ keep, taken: keep });
    return;
  }
  const branch = open.at(-1);
  if (!branch) return;
  branch.keep = !branch.taken;
  branch.taken = true;
}

function blank(line: string): string {
  return " ".repeat(line.length);
}

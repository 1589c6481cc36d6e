/** A place in an expression, and ways past what stands there: space, names, strings, brackets and what is in them. */

const NAME = /[\p{L}_$@][\p{L}\p{N}_$]*|#[\p{L}_$][\p{L}\p{N}_$]*/uy;
const SPACE = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;

export class Cursor {
  protected readonly text: string;
  protected readonly end: number;
  protected at = 0;

  constructor(text: string, end: number) {
    this.text = text;
    this.end = end;
  }

  /** `<A, B<C>>`, when a call or the end follows. */
  protected typeArguments(): boolean {
    const { text } = this;
    if (text[this.at] !== "<") return false;
    let depth = 0;
    for (let i = this.at; i < this.end && i < this.at + 300; i++) {
      const char = text[i]!;
      if (char === "<") depth++;
      else if (char === ">" && text[i - 1] !== "=") depth--;
      else if (char === ";" || char === "&&") return false;
      if (depth > 0) continue;
      const next = text[i + 1];
      if (next !== "(" && i + 1 < this.end && next !== "`") return false;
      this.at = i + 1;
      return true;
    }
    return false;
  }

  /** Past the bracket or string that stands here. */
  protected skip(): boolean {
    const { text } = this;
    let depth = 0;
    for (let i = this.at; i < this.end; i++) {
      const char = text[i]!;
      if (char === '"' || char === "'" || char === "`") {
        i = endOfString(text, i, this.end);
        if (i < 0) return false;
      } else if (char === "/" && (text[i + 1] === "/" || text[i + 1] === "*")) {
        i = endOfComment(text, i);
      } else if (char === "(" || char === "[" || char === "{") depth++;
      else if (char === ")" || char === "]" || char === "}") depth--;
      if (depth > 0) continue;
      this.at = i + 1;
      return true;
    }
    return false;
  }

  protected space(): void {
    SPACE.lastIndex = this.at;
    const found = SPACE.exec(this.text);
    if (found) this.at = Math.min(this.end, SPACE.lastIndex);
  }

  protected word(word: string): boolean {
    return this.text.startsWith(word, this.at) && /\s/.test(this.text[this.at + word.length] ?? "");
  }

  protected name(): string | undefined {
    NAME.lastIndex = this.at;
    const found = NAME.exec(this.text);
    if (!found || NAME.lastIndex > this.end) return undefined;
    this.at = NAME.lastIndex;
    return found[0];
  }
}

function endOfString(text: string, start: number, end: number): number {
  const quote = text[start]!;
  const triple = text.startsWith(quote.repeat(3), start) && quote !== "`";
  const close = triple ? quote.repeat(3) : quote;
  for (let i = start + close.length; i < end; i++) {
    if (text[i] === "\\") i++;
    else if (text.startsWith(close, i)) return i + close.length - 1;
    else if (text[i] === "\n" && !triple && quote !== "`") return -1;
  }
  return -1;
}

function endOfComment(text: string, start: number): number {
  const close = text[start + 1] === "*" ? text.indexOf("*/", start + 2) + 1 : text.indexOf("\n", start);
  return close <= start ? text.length : close;
}

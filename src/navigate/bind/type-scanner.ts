/** Walks through a written type: names, signs, and what stands between brackets. Knows no type. */

/** `@3` is the file's symbol of that number. */
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*|@\d+/uy;

export class TypeScanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get ended(): boolean {
    this.space();
    return this.at >= this.text.length;
  }

  /** Whether what comes next reads so. */
  follows(pattern: RegExp): boolean {
    return pattern.test(this.text.slice(this.at));
  }

  /** Past the bracket that closes here. */
  passAll(close: string): boolean {
    while (this.at < this.text.length) {
      if (!this.pass(close)) return false;
      if (this.text[this.at++] === close) return true;
    }
    return false;
  }

  /** Past an argument that is not understood. */
  pass(close: string): boolean {
    let depth = 0;
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at]!;
      if (depth === 0 && (char === "," || char === close)) return true;
      if ("([{<".includes(char)) depth++;
      else if (")]}".includes(char) || (char === ">" && this.text[this.at - 1] !== "=")) depth--;
      if (depth < 0) return false;
    }
    return false;
  }

  name(): string | undefined {
    this.space();
    NAME.lastIndex = this.at;
    const found = NAME.exec(this.text);
    if (!found) return undefined;
    this.at = NAME.lastIndex;
    return found[0];
  }

  peek(token: string): boolean {
    this.space();
    return this.text.startsWith(token, this.at);
  }

  eat(token: string): boolean {
    if (!this.peek(token)) return false;
    this.at += token.length;
    return true;
  }

  private space(): void {
    while (this.text[this.at] === " ") this.at++;
  }
}

export function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if ("([{<".includes(char)) depth++;
    else if (")]}".includes(char) || (char === ">" && text[i - 1] !== "=")) depth--;
    else if (char === "," && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  const last = text.slice(start);
  return last.trim() === "" ? parts : [...parts, last];
}

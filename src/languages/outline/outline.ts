/**
 * Reads the outline of a text from a table of rules: which lines begin a definition, and how it ends. Knows comments, strings
 * and brackets; no expression grammar. Each pattern sees at most `MAX_HEAD` characters from the start of a line or statement,
 * so that the work is proportional to the length of the text whatever is in it.
 */

import type { Kind } from "../../model/kinds.ts";
import type { Parsed, RawDefinition } from "../../ports/grammars.ts";
import { FUNCTION_KINDS } from "../define.ts";
import { type BlockSyntax, Blocks, BRACES } from "./blocks.ts";
import { ForwardSearch, maskOf, type NonCodeRule } from "./mask.ts";

/** One form of definition. */
export interface DefinitionRule {
  readonly kind: Kind;
  /** Begins with `^`; has a group `name` and maybe `scope` and `vis`. */
  readonly is: RegExp;
  /**
   * `block`: with the brackets after its name; `group`: with the brackets that its pattern ends with; `form`: with those that
   * it begins with; `value`: before the next comma; `words`: with the block that its first word opens; `statement`: with its
   * terminator; `line`; `indent`: before the next line that is not indented more; `section`: before the next section of the
   * same or a higher level.
   */
  readonly ends: "block" | "group" | "form" | "value" | "words" | "statement" | "line" | "indent" | "section";
  /** Only directly inside one of these. Without it: anywhere but inside a function. */
  readonly in?: readonly Kind[];
  readonly notIn?: readonly Kind[];
  /** With `in`: at any depth of brackets. */
  readonly deep?: true;
  /** Only inside of something with such a name. */
  readonly under?: RegExp;
  /** Only inside of so many brackets; `top`: of none. */
  readonly depth?: number;
  readonly top?: true;
  readonly maxIndent?: number;
  /** Every match in the name is a definition of its own: the classes of a selector. */
  readonly each?: RegExp;
  /** Only at the left margin. A function that still seems open there was misread and ends. */
  readonly margin?: true;
  /** Of a section; 0 is the highest. */
  readonly level?: number;
}

export interface OutlineRules {
  readonly quiet: readonly NonCodeRule[];
  /** Default: brackets and `;`. */
  readonly blocks?: BlockSyntax;
  /** `statement`: definitions also begin after a bracket or terminator. Default: with a line. */
  readonly starts?: "statement";
  readonly definitions: readonly DefinitionRule[];
}

/** Characters of a definition that its pattern may look at. */
const MAX_HEAD = 800;

interface OpenDefinition {
  readonly kind: Kind;
  readonly index: number;
  end: number;
  /** Of the bracket that encloses its members. */
  readonly body: number;
  readonly indent: number;
  /** Indentation of the first line inside. */
  inner: number | undefined;
  readonly rule: DefinitionRule;
}

/** Where a definition may begin. */
interface Candidate {
  readonly at: number;
  readonly indent: number;
  readonly row: number;
  /** Around it. */
  readonly bracket: number;
}

/** Where a rule matched. */
interface RuleMatch {
  readonly start: number;
  /** The start of its line. */
  readonly line: number;
  readonly matched: number;
  readonly nameEnd: number;
  readonly bracket: number;
}

export function outlineReader(rules: OutlineRules): (text: string) => Parsed {
  const mask = maskOf(rules.quiet);
  const quick = new RegExp(rules.definitions.map(({ is }) => withoutGroups(is)).join("|"), flagsOf(rules.definitions));
  const definitions = rules.definitions.map((it) => ({ ...it, is: new RegExp(it.is, `${it.is.flags}d`) }));
  return (text) => new Outline({ ...rules, definitions }, quick, text, mask(text)).read();
}

function flagsOf(definitions: readonly DefinitionRule[]): string {
  return [...new Set(definitions.flatMap(({ is }) => [...is.flags]))].join("");
}

function withoutGroups({ source }: RegExp): string {
  return source.replace(/\(\?<\w+>/g, "(?:");
}

class Outline {
  readonly #rules: OutlineRules;
  readonly #quick: RegExp;
  readonly #text: string;
  readonly #masked: string;
  readonly #blocks: Blocks;
  readonly #search: ForwardSearch;
  readonly #found: (RawDefinition & { end: number; endRow: number })[] = [];
  readonly #open: OpenDefinition[] = [];

  constructor(rules: OutlineRules, quick: RegExp, text: string, masked: string) {
    this.#rules = rules;
    this.#quick = quick;
    this.#text = text;
    this.#masked = masked;
    this.#search = new ForwardSearch(text);
    this.#blocks = new Blocks(masked, rules.blocks ?? BRACES);
  }

  read(): Parsed {
    const text = this.#text;
    let row = 0;
    for (let line = 0; line < text.length; row++) {
      const newline = text.indexOf("\n", line);
      const end = newline < 0 ? text.length : newline;
      const first = this.#nextCode(line, end);
      if (first < end) {
        this.#close(first, first - line);
        const around = this.#open.at(-1);
        if (around) around.inner ??= first - line;
        this.#candidate(first, first - line, row);
        if (this.#rules.starts) {
          for (const at of this.#blocks.startsBetween(first, end)) {
            const start = this.#nextCode(at, end);
            if (start < end) this.#candidate(start, first - line, row);
          }
        }
      }
      line = end + 1;
    }
    this.#close(text.length, -1);
    return { outcome: "clean", definitions: this.#withRows() };
  }

  /** The first character that is neither blank nor part of a comment. */
  #nextCode(from: number, end: number): number {
    let at = from;
    while (at < end && this.#masked.charCodeAt(at) <= 0x20) at++;
    return at;
  }

  /** Closes what ended before `at`, and blocks of indentation when a line is not indented more. */
  #close(at: number, indent: number): void {
    while (this.#open.length > 0) {
      const last = this.#open.at(-1)!;
      const isOver = last.rule.ends === "indent" ? indent <= last.indent : last.end <= at;
      if (!isOver) return;
      this.#end(this.#open.pop()!, at);
    }
  }

  #end({ index, end, rule }: OpenDefinition, at: number): void {
    if (rule.ends === "indent" || rule.ends === "section")
      this.#found[index]!.end = this.#trimmed(index, Math.min(end, at));
  }

  /** Without the blanks and comments above what follows, but with all of its last member: that one may end with a comment. */
  #trimmed(index: number, limit: number): number {
    const { start, nameEnd } = this.#found[index]!;
    const members = index < this.#found.length - 1 ? this.#found.at(-1)!.end : 0;
    return this.#lastCode(Math.max(start + 1, nameEnd, Math.min(members, limit)), limit);
  }

  #lastCode(least: number, limit: number): number {
    let end = Math.max(limit, least);
    while (end > least && this.#masked.charCodeAt(end - 1) <= 0x20) end--;
    return end;
  }

  #candidate(at: number, indent: number, row: number): void {
    const head = this.#text.slice(at, at + MAX_HEAD);
    if (!this.#quick.test(head)) return;
    while (this.#open.length > 0 && this.#open.at(-1)!.rule.ends !== "indent" && this.#open.at(-1)!.end <= at)
      this.#end(this.#open.pop()!, at);
    const bracket = this.#blocks.enclosing(at);
    for (const rule of this.#rules.definitions) {
      if ((rule.top && bracket >= 0) || (rule.margin && indent > 0) || indent > (rule.maxIndent ?? indent)) continue;
      if (rule.depth !== undefined && rule.depth !== this.#blocks.depth) continue;
      const it = rule.is.exec(head);
      if (!it || !this.#isAllowed(rule, { bracket, indent })) continue;
      this.#add(rule, it, { at, indent, row, bracket });
      return;
    }
  }

  #isAllowed(rule: DefinitionRule, { bracket, indent }: Omit<Candidate, "at" | "row">): boolean {
    const { in: owners, notIn, ends, level = 0, margin, deep, under } = rule;
    if (margin && owners === undefined && notIn === undefined) return true;
    // A section ends where the next one begins.
    const parent = this.#open.findLast(
      ({ rule }) => !(ends === "section" && rule.ends === "section" && (rule.level ?? 0) >= level),
    );
    // A section of lower level is a part of the section around it, not a local of a function: paragraphs of COBOL.
    const isPart = ends === "section" && parent?.rule.ends === "section";
    if (owners === undefined)
      return (isPart || !FUNCTION_KINDS.has(parent?.kind)) && !(parent && notIn?.includes(parent.kind));
    if (parent === undefined || !owners.includes(parent.kind)) return false;
    if (under && !under.test(this.#nameOf(parent))) return false;
    if (deep || parent.rule.ends === "value") return true;
    return parent.rule.ends === "indent" ? indent === parent.inner : parent.body < 0 || parent.body === bracket;
  }

  #add(rule: DefinitionRule, it: RegExpExecArray, { at, indent, row, bracket }: Candidate): void {
    const [nameStart, nameEnd] = it.indices!.groups!.name!.map((offset) => at + offset) as [number, number];
    const names = rule.each ? [...it.groups!.name!.matchAll(rule.each)] : undefined;
    if (names?.length === 0) return;
    const matched = at + it[0].length;
    if (rule.margin) this.#closeFunctions(at);
    if (rule.ends === "section") this.#closeSections(rule.level ?? 0, at);
    const { end: written, body } = this.#extent(rule, { start: at, line: at - indent, matched, nameEnd, bracket });
    const end = rule.ends === "value" ? this.#lastCode(nameEnd, written) : Math.max(written, nameEnd);
    const { scope, vis } = it.groups!;
    this.#open.push({ kind: rule.kind, index: this.#found.length, end, body, indent, inner: undefined, rule });
    const found = {
      ...{ kind: rule.kind, start: at, end, startRow: row, endRow: row, nameStart, nameEnd },
      bodyStart: this.#bodyStart(rule, body, matched, end),
      scope,
      vis,
    };
    if (!names) this.#found.push(found);
    for (const { 0: name, index } of names ?? [])
      this.#found.push({ ...found, nameStart: nameStart + index, nameEnd: nameStart + index + name.length });
  }

  #nameOf({ index }: OpenDefinition): string {
    const { nameStart, nameEnd } = this.#found[index]!;
    return this.#text.slice(nameStart, nameEnd).replace(/^["']|["']$/g, "");
  }

  /** Functions that seem to be open at the margin. */
  #closeFunctions(at: number): void {
    for (let last = this.#open.at(-1); last && FUNCTION_KINDS.has(last.kind); last = this.#open.at(-1)) {
      const it = this.#found[last.index]!;
      it.end = this.#trimmed(last.index, Math.min(it.end, at));
      this.#open.pop();
    }
  }

  #closeSections(level: number, at: number): void {
    for (
      let last = this.#open.at(-1);
      last?.rule.ends === "section" && (last.rule.level ?? 0) >= level;
      last = this.#open.at(-1)
    )
      this.#end(this.#open.pop()!, at);
  }

  /** Its end, and the index of the bracket around its members. */
  #extent(rule: DefinitionRule, { start, line, matched, nameEnd, bracket }: RuleMatch): { end: number; body: number } {
    const { ends } = rule;
    if (ends === "indent" || ends === "section") {
      const outer = this.#open.findLast(({ rule }) => rule.ends === "block" || rule.ends === "statement");
      return { end: Math.min(outer?.end ?? this.#text.length, this.#text.length), body: -1 };
    }
    if (ends === "line") return { end: Math.min(this.#lineEnd(matched), this.#blocks.closes(bracket)), body: -1 };
    if (ends === "value") return { end: this.#blocks.valueEnd(matched), body: -1 };
    if (ends === "form") return this.#blocks.group(start);
    if (ends === "group") return this.#blocks.group(matched - 1);
    if (ends === "statement")
      return { end: this.#blocks.statementEnd(nameEnd), body: this.#blocks.firstBracket(nameEnd) };
    return ends === "words" ? this.#blocks.wordExtent(line, matched) : this.#blocks.extent(nameEnd, rule);
  }

  #lineEnd(from: number): number {
    return this.#search.next("\n", from);
  }

  #bodyStart({ ends }: DefinitionRule, body: number, matched: number, end: number): number | undefined {
    if (ends === "block" || ends === "group") return body < 0 ? undefined : this.#blocks.at(body);
    return ends === "statement" ? undefined : Math.min(end, this.#lineEnd(matched));
  }

  #withRows(): RawDefinition[] {
    const rows = rowCounter(this.#text);
    const byEnd = [...this.#found].sort((a, b) => a.end - b.end);
    for (const it of byEnd) Object.assign(it, { endRow: rows(Math.max(it.start, it.end - 1)) });
    return this.#found;
  }
}

/** Counts newlines before ascending offsets. */
function rowCounter(text: string): (offset: number) => number {
  let [row, next] = [0, text.indexOf("\n")];
  return (offset) => {
    for (; next >= 0 && next < offset; next = text.indexOf("\n", next + 1)) row++;
    return row;
  };
}

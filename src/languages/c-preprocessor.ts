/** What C and C++ share: macros that hide from the grammar, conditional branches, and the files that are included. */
import type { ImportItem } from "../model/edges.ts";
import type { ModuleResolver } from "../model/language-edges.ts";
import { filesByTail, joinPath, parentFolder } from "./packages.ts";

/**
 * Macros in places where C's grammar does not allow them: `EXPORT int f();`, `class API Foo {`, `BEGIN_NAMESPACE`.
 * A parser that does not expand them loses what follows (all of libuv's public header), so they are blanked out first:
 * an all-capitals word, its arguments, and what comes next on the line.
 */
const MACRO = /\b[A-Z][A-Z0-9_]+[A-Z0-9](?:\((?:[^()\n]|\([^()\n]*\))*\))?(?=([ \t]*(?:[\n;{]|$))|[ \t]+[A-Za-z_:*])/g;

/** `text` with such macros replaced by as many spaces; offsets and lines stay as they are. */
export function withoutMacros(text: string): string {
  return text.replace(MACRO, (macro: string, ends: string | undefined, at: number) => {
    const lineStart = text.lastIndexOf("\n", at) + 1;
    const before = text.slice(lineStart, at);
    if (/^\s*#/.test(before)) return macro;
    const lone =
      ends === undefined ? isSpecifier(text, before, at + macro.length) : isStray(text, before, lineStart, ends);
    return lone ? " ".repeat(macro.length) : macro;
  });
}

/** `EXPORT int f(`, `static INLINE int f(`, `class API Foo`: not `BOOL f(`, where it is the type. */
function isSpecifier(text: string, before: string, end: number): boolean {
  if (/\b(?:class|struct|union|enum)\s+$/.test(before))
    return /^\s+\w+\s*(?:final\s*)?[:{]/.test(text.slice(end, end + 120));
  // `} FAR state;`, `typedef stream FAR *streamp;`, `struct state FAR *state;`
  if (/\}\s*$/.test(before) && /^\s+\**\w+\s*;/.test(text.slice(end, end + 120))) return true;
  if (POINTED.test(before) && /^\s+\*+\s*\w+\s*[;,)]/.test(text.slice(end, end + 120))) return true;
  // `int CDECL main(`: a word between a type and the name of a function.
  if (TYPED.test(before) && /^\s+\w+\s*\(/.test(text.slice(end, end + 120))) return true;
  if (!/^\s*(?:(?:static|inline|extern|virtual|explicit|constexpr)\s+)*$/.test(before)) return false;
  // A constructor has no type: `INLINE Order::Order(`.
  if (/^\s+(?:\w+::)*(\w+)::~?\1\s*\(/.test(text.slice(end, end + 200))) return true;
  return /^\s+(?:[\w:]+(?:<[^;{}()\n]*>)?[\s*&]+)+[\w:~]+\s*[(;=[]/.test(text.slice(end, end + 200));
}

/** A type and the words that may precede it. */
const TYPED =
  /^\s*(?:(?:static|inline|extern|const|[A-Z][A-Z0-9_]+[A-Z0-9])\s+)*(?!(?:struct|union|enum|class|const|static|inline|extern|return|else|typedef|unsigned|signed|case|goto|new|delete|throw|using|template|typename|virtual|explicit|constexpr|friend|public|private|protected)\b)[A-Za-z_]\w*(?:\s*\*+\s*|\s+)$/;

/** The type of a field, of a parameter, or of what a typedef names. */
const POINTED =
  /(?:^|[(,])\s*(?:typedef\s+)?(?:const\s+)?(?:struct\s+|union\s+)?(?!(?:return|case|else|goto|throw|delete|co_\w+)\b)[A-Za-z_]\w*\s+$/;

/** A line of its own, or an attribute behind a parameter list; in a list of values it is a value. */
function isStray(text: string, before: string, lineStart: number, ends: string): boolean {
  if (/\)\s*(?:(?:const|noexcept|override|final)\s*)*$/.test(before)) return true;
  if (before.trim() !== "" || /[;{]/.test(ends)) return false;
  const above = text.slice(Math.max(0, lineStart - 200), lineStart).trimEnd();
  if (above.endsWith("{")) return /(?:\b(?:namespace|class|struct)\b[^\n;]*|"C"|\))\s*\{$/.test(above);
  return !/[,(=|&+\-*/?:<\\[]$/.test(above);
}

const DIRECTIVE = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[ \t]*(.*)$/;

/**
 * One way through `#if … #else … #endif`: the first branch of each is kept, the others and the directives are blanked
 * out. Branches that share a brace (`#if A` `for (;x;) {` `#else` `for (;;) {` `#endif`) leave no grammar a chance.
 * `text` with as many characters and lines. `isFalse` tells conditions whose first branch is not the one to keep.
 */
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

export function includes(statement: string): ImportItem[] {
  const found = /#\s*(?:include(?:_next)?|import)\s*[<"]([^>"\n]+)[>"]/.exec(statement);
  if (!found) return [];
  return [{ module: found[1]!, name: "*", local: "*", exported: "*", at: statement.indexOf(found[1]!) }];
}

export const includeFiles: ModuleResolver = {
  prepare: (view) => {
    const source = /\.(?:h|hh|hpp|hxx|h\+\+|inl|inc|ipp|tcc|def|c|cc|cpp|cxx)$/i;
    const byTail = filesByTail(view.paths, (path) => (source.test(path) ? path : undefined));
    return (module, from) => {
      const sameFolder = joinPath(parentFolder(from), module);
      if (view.has(sameFolder)) return [sameFolder];
      const found = byTail(module.replace(/^(?:\.\.?\/)+/, ""));
      return found.toSorted((a, b) => shared(b, from) - shared(a, from) || a.length - b.length).slice(0, 1);
    };
  },
};

function shared(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a.lastIndexOf("/", at - 1);
}

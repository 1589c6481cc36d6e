/**
 * Macros in places where C's grammar does not allow them: `EXPORT int f();`, `class API Foo {`, `BEGIN_NAMESPACE`.
 * A parser that does not expand them loses what follows (all of libuv's public header), so they are blanked out first.
 */

/** An all-capitals word, its arguments, and what comes next on the line. */
const MACRO =
  /\b[A-Z][A-Z0-9_]{2,}[A-Z0-9](?:\((?:[^()\n]|\([^()\n]*\))*\))?(?=([ \t]*(?:[\n;{]|$))|[ \t]+[A-Za-z_:])/g;

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
  if (!/^\s*(?:(?:static|inline|extern|virtual|explicit|constexpr)\s+)*$/.test(before)) return false;
  return /^\s+(?:[\w:]+(?:<[^;{}()\n]*>)?[\s*&]+)+[\w:~]+\s*[(;=[]/.test(text.slice(end, end + 200));
}

/** A line of its own, or an attribute behind a parameter list; in a list of values it is a value. */
function isStray(text: string, before: string, lineStart: number, ends: string): boolean {
  if (/\)\s*(?:(?:const|noexcept|override|final)\s*)*$/.test(before)) return true;
  if (before.trim() !== "" || /[;{]/.test(ends)) return false;
  const above = text.slice(Math.max(0, lineStart - 200), lineStart).trimEnd();
  if (above.endsWith("{")) return /(?:\b(?:namespace|class|struct)\b[^\n;]*|"C"|\))\s*\{$/.test(above);
  return !/[,(=|&+\-*/?:<\\[]$/.test(above);
}

/**
 * How a line of a trace, a compiler or a test runner spells a frame. The patterns are anchored and have no nested
 * repetition, so a line costs time in proportion to its length.
 */

import type { PastedFrame } from "./frame.ts";
import { normalisePath, parseLocation } from "./location.ts";

export type LineFrame = Omit<PastedFrame, "source" | "after" | "at">;

/** The first recogniser that knows the line decides. `null`: a frame without a file, such as native code. */
export function readFrameLine(line: string): LineFrame | null | undefined {
  for (const recognise of RECOGNISERS) {
    const found = recognise(line);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Recogniser = (line: string) => LineFrame | null | undefined;

const RECOGNISERS: readonly Recogniser[] = [
  python,
  csharp,
  rust,
  java,
  javascript,
  csharpWithoutFile,
  elixir,
  phpFrame,
  native,
  ruby,
  phpHeader,
  go,
  rustc,
  pytest,
  vitest,
  jestFile,
];

function numbered(line: string | undefined, column?: string): { readonly line?: number; readonly column?: number } {
  const [at, within] = [Number(line), Number(column)];
  return { ...(at > 0 && { line: at }), ...(within > 0 && { column: within }) };
}

function symbolField(symbol: string | undefined): { readonly symbol?: string } {
  const name = symbol?.trim();
  return name ? { symbol: name } : {};
}

/** `File "/app/a.py", line 12, in run` */
function python(line: string): LineFrame | undefined {
  const found = /^[\s>|+*-]*File "([^"]+)", line (\d{1,7})(?:, in (.+))?$/.exec(line);
  if (found === null) return undefined;
  return {
    format: "python",
    path: normalisePath(found[1]!),
    ...numbered(found[2]),
    ...symbolField(found[3]),
  };
}

/** `at Acme.Cart.Add(Int32 id) in /src/Cart.cs:line 12` */
function csharp(line: string): LineFrame | undefined {
  const found = /^\s*at (\S[^(]*)\(.*\) in (.+):line (\d{1,7})$/.exec(line.trimEnd());
  if (found === null) return undefined;
  return { format: "csharp", path: normalisePath(found[2]!), ...numbered(found[3]), ...symbolField(found[1]) };
}

/** `at System.String.Substring(Int32 start, Int32 length)`: no debug symbols. */
function csharpWithoutFile(line: string): null | undefined {
  return /^\s+at [\w.<>`[\],+]{3,300}\([^()]*\)$/.test(line.trimEnd()) ? null : undefined;
}

/** `at app//com.acme.Cart.add(Cart.java:12) ~[shop.jar:1.0]` */
function java(line: string): LineFrame | null | undefined {
  const found =
    /^\s*at (?:[\w.@-]*\/{1,2}){0,2}([\w$.<>-]+)\((?:([\w$-]+\.(?:java|kts?|scala|groovy|clj))(?::(\d{1,7}))?|(Native Method|Unknown Source|<generated>|[\w$-]*))\)(?: ~?\[.*)?$/.exec(
      line.trimEnd(),
    );
  if (found === null) return undefined;
  const [, name = "", file, at] = found;
  if (file === undefined) return null;
  const parts = name.split(".");
  const [method, owner] = [parts.pop(), parts.pop()];
  const jvmPackage = parts.join(".");
  return {
    format: "java",
    path: [...parts, file].join("/"),
    ...numbered(at),
    ...symbolField(owner === undefined ? method : `${owner}.${method}`),
    ...(jvmPackage !== "" && { package: jvmPackage }),
  };
}

/** `at async Cart.add (/app/cart.js:12:5)`, `at file:///app/cart.js:12:5`, `add@http://localhost/cart.js:12:5` */
function javascript(line: string): LineFrame | null | undefined {
  const text = line.trim().replace(/ \{$/, "");
  const called = /^at (?:async |new )?(?:(.*) )?\((.+)\)$/.exec(text);
  const bare = called === null ? /^at (?:async )?(\S+)$/.exec(text) : null;
  const gecko =
    called === null && bare === null
      ? /^([^@\s]{0,200})@((?:https?|file|webpack|app)[^\s]*:\d+:\d+)$/.exec(text)
      : null;
  const place = called?.[2] ?? bare?.[1] ?? gecko?.[2];
  if (place === undefined) return undefined;
  const location =
    /:\d+(?::\d+)?$/.test(place) && !/^(?:node|internal|bun):/.test(place) ? parseLocation(place) : undefined;
  if (location === undefined)
    return gecko === null && /^(?:native|<anonymous>|node:|internal|index )/.test(place) ? null : undefined;
  const { hosted: _, ...where } = location;
  const symbol = (called?.[1] ?? gecko?.[1])?.replace(/ \[as .*\]$/, "").replace(/^(?:async|new) /, "");
  return { format: "javascript", ...where, ...symbolField(symbol) };
}

/** `(shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.add/2` */
function elixir(line: string): LineFrame | undefined {
  const found =
    /^\s*(?:│\s*)?(?:\((\w+)(?: [^)]*)?\) )?([\w./@-]+\.(?:exs?|erl|heex|eex)):(\d{1,7}): ((?:anonymous )?\S.*)$/.exec(
      line,
    );
  if (found === null || /^(?:error|warning):/.test(found[4]!)) return undefined;
  const called = found[4]!.replace(/^anonymous fn\/\d+ in /, "");
  return {
    format: "elixir",
    path: normalisePath(found[2]!),
    ...numbered(found[3]),
    ...(/\/\d+$/.test(called) && symbolField(called.replace(/\/\d+$/, ""))),
    ...(found[1] !== undefined && { library: found[1] }),
  };
}

/** `#0 /app/src/Cart.php(12): Shop\Cart->add()` */
function phpFrame(line: string): LineFrame | null | undefined {
  const found = /^\s*#\d{1,4} (?:(.+\.\w+)\((\d{1,7})\): (.*)|\[internal function\].*|\{main\})$/.exec(line.trimEnd());
  if (found === null) return undefined;
  if (found[1] === undefined) return null;
  const called = found[3]!.replace(/\(.*$/, "");
  return { format: "php", path: normalisePath(found[1]), ...numbered(found[2]), ...symbolField(called) };
}

/** `#0 0x4f1b2c in cart_add /src/cart.c:19:9` of sanitizers, `#1 0x… in main () at cart.c:6` of debuggers */
function native(line: string): LineFrame | undefined {
  const found = /^\s*#\d{1,4} +(?:0x[\da-f]+ in )?(\S+)(?: \(.*\))?(?: at)? (\S+?):(\d{1,7})(?::(\d{1,6}))?$/.exec(
    line,
  );
  if (found === null) return undefined;
  return {
    format: "compiler",
    path: normalisePath(found[2]!),
    ...numbered(found[3], found[4]),
    ...symbolField(found[1]),
  };
}

/** `PHP Fatal error: … in /app/src/Cart.php:12`, `… in /app/src/Cart.php on line 12` */
function phpHeader(line: string): LineFrame | undefined {
  const found = /(?: in| at|^in|^at) (\/?[^\s"'()]+\.(?:php|phtml|inc))(?::| (?:on )?line |\()(\d{1,7})\)*$/.exec(
    line.trimEnd(),
  );
  return found === null ? undefined : { format: "php", path: normalisePath(found[1]!), ...numbered(found[2]) };
}

/** `app/cart.rb:12:in 'Cart#add': empty (ArgumentError)` */
function ruby(line: string): LineFrame | undefined {
  const found = /^\s*(?:\d{1,4}: )?(?:from |# )?([^\s:]+(?:\.\w+)?):(\d{1,7}):in [`']([^']*)'/.exec(line);
  if (found === null) return undefined;
  const symbol = found[3]!.replace(/^(?:block|rescue|ensure)(?: \(\d+ levels\))? in /, "");
  return { format: "ruby", path: normalisePath(found[1]!), ...numbered(found[2]), ...symbolField(symbol) };
}

/** `\t/app/cart.go:12 +0x1d`; the function is on the line before. */
function go(line: string): LineFrame | undefined {
  const found = /^\s+([^\t]*\.(?:go|s)):(\d{1,7})(?: \+0x[\da-f]+)?$/.exec(line.trimEnd());
  return found === null ? undefined : { format: "go", path: normalisePath(found[1]!), ...numbered(found[2]) };
}

/** `   at ./src/cart.rs:12:5` or `thread 'main' panicked at src/cart.rs:12:5:` */
function rust(line: string): LineFrame | undefined {
  const found =
    /^\s+at (\S.*\.rs):(\d{1,7})(?::(\d{1,6}))?$/.exec(line.trimEnd()) ??
    /\bpanicked at (?:'.*', )?(\S+\.rs):(\d{1,7}):(\d{1,6}):?$/.exec(line.trimEnd());
  return found === null
    ? undefined
    : { format: "rust", path: normalisePath(found[1]!), ...numbered(found[2], found[3]) };
}

/** ` --> src/cart.rs:12:5` */
function rustc(line: string): LineFrame | undefined {
  const found = /^\s*(?:-->|:::|╭▸|├▸|┌─) (\S.*?):(\d{1,7})(?::(\d{1,6}))?$/.exec(line.trimEnd());
  return found === null
    ? undefined
    : { format: "compiler", path: normalisePath(found[1]!), ...numbered(found[2], found[3]) };
}

/** `tests/test_cart.py:12: in test_add`, `src/cart.py:12: ValueError`, `FAILED tests/test_cart.py::TestCart::test_add - …` */
function pytest(line: string): LineFrame | undefined {
  const found = /^(\S[^:]*\.pyx?):(\d{1,7}): ?(?:in (\S+)|[A-Z]\w*(?:\.\w+)*)?$/.exec(line.trimEnd());
  if (found !== null)
    return { format: "pytest", path: normalisePath(found[1]!), ...numbered(found[2]), ...symbolField(found[3]) };
  const id = /^(?:(?:FAILED|ERROR|PASSED|XFAIL|SKIPPED) )?(\S+\.py)::(\S+)/.exec(line);
  if (id === null) return undefined;
  return {
    format: "pytest",
    path: normalisePath(id[1]!),
    ...symbolField(id[2]!.replace(/\[.*$/, "").replaceAll("::", ".")),
  };
}

/** ` ❯ add src/cart.ts:12:5` */
function vitest(line: string): LineFrame | undefined {
  const found = /^\s*❯ (?:(.+) )?(\S+):(\d{1,7}):(\d{1,6})$/.exec(line.trimEnd());
  if (found === null) return undefined;
  const location = parseLocation(`${found[2]}:${found[3]}:${found[4]}`);
  if (location === undefined) return undefined;
  return { format: "jest", path: location.path, ...numbered(found[3], found[4]), ...symbolField(found[1]) };
}

/** `FAIL src/cart.test.ts > cart > adds` */
function jestFile(line: string): LineFrame | undefined {
  const found = /^\s*(?:FAIL|PASS|❌)\s+(?:\|[\w-]+\|\s+)?(\S+\.[cm]?[jt]sx?)(?:\s|$)/.exec(line);
  return found === null ? undefined : { format: "jest", path: normalisePath(found[1]!) };
}

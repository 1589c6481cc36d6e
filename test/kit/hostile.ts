/** Hostile requests, the same ones in every run. */
import type { ToolDefinition } from "../../src/tools/define.ts";

type Random = () => number;

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  201,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "x\udfff",
  "\u202edesrever",
  "validate_token",
  "src/types.rs",
  "src/auth.rs",
  "role",
  "main",
  "/work/fixture",
  "../../../../etc/passwd",
  "/proc/self/root",
  "C:\\Windows",
  "--output=x",
  "$(id)",
  "; rm -rf /",
  "' OR 1=1 --",
  '"unbalanced',
  "foo(",
  "a::b",
  "C++",
  "error: x",
  "NEAR(a b)",
  "🦀".repeat(50),
  "e\u0301".repeat(100),
  "a".repeat(10_000),
  "\n".repeat(1_000),
  "context",
  "full",
  "strict",
  "top",
  [],
  {},
  [1, 2, 3],
  { length: 10 },
  { toString: 1, valueOf: 2 },
  ["validate_token"],
  nested(40),
];

const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "limt",
  "",
  "a\0",
  "x".repeat(300),
];

/** Arguments for a tool: valid names with wrong values, wrong names, and sometimes something plausible. */
export function hostileArguments(tool: ToolDefinition, random: Random): unknown {
  if (random() < 0.02) return pick(random, VALUES);
  // One wrong field finds what several hide: decoding ends at the first error.
  const rate = pick(random, [0.02, 0.1, 0.3]);
  const given: [string, unknown][] = [];
  for (const [name, value] of Object.entries(tool.example)) if (random() < 1 - rate) given.push([name, value]);
  for (const name of Object.keys(tool.input.shape)) if (random() < rate) given.push([name, pick(random, VALUES)]);
  if (random() < 0.2) given.push([pick(random, NAMES), pick(random, VALUES)]);
  if (random() < 0.002) given.push([pick(random, Object.keys(tool.input.shape)), "a".repeat(1_000_000)]);
  return raw(given);
}

/** An object with exactly these members, including `__proto__`. */
function raw(members: readonly (readonly [string, unknown])[]): object {
  const value: Record<string, unknown> = Object.create(null);
  for (const [key, member] of members) {
    Object.defineProperty(value, key, { value: member, enumerable: true, configurable: true, writable: true });
  }
  return value;
}

const METHODS = ["ping", "tools/list", "tools/call", "initialize", "server/discover", "resources/list", "prompts/get"];

/** A line that is almost JSON-RPC, or not at all. */
export function malformedLine(random: Random): string {
  const message: [string, unknown][] = [
    ["jsonrpc", random() < 0.8 ? "2.0" : pick(random, VALUES)],
    ["id", random() < 0.6 ? `m${Math.floor(random() * 1e6)}` : pick(random, VALUES)],
    [
      "method",
      random() < 0.7 ? pick(random, [...METHODS, "notifications/cancelled", "notifications/x"]) : pick(random, VALUES),
    ],
    [
      "params",
      random() < 0.5
        ? raw([
            ["name", pick(random, VALUES)],
            ["_meta", pick(random, VALUES)],
          ])
        : pick(random, VALUES),
    ],
  ];
  const kept = message.filter(() => random() < 0.9);
  if (random() < 0.1) kept.push([pick(random, NAMES), pick(random, VALUES)]);
  const text = JSON.stringify(random() < 0.05 ? [raw(kept), raw(kept)] : raw(kept));
  const damage = random();
  if (damage < 0.5) return text;
  const at = Math.floor(random() * text.length);
  if (damage < 0.65) return text.slice(0, at);
  if (damage < 0.8) return text.slice(0, at) + String.fromCharCode(33 + random() * 90) + text.slice(at + 1);
  if (damage < 0.9) return text.slice(at) + text.slice(0, at);
  return pick(random, ["{", "[", "[[[[", "nul", "\u0001", '"', "{}{}", '{"jsonrpc":"2.0","id":1,"id":2}', "🦀", "\r"]);
}

const REF_WORDS = [
  "--output=canary",
  "-ccore.pager=touch canary",
  ";touch canary",
  "$(touch canary)",
  "`touch canary`",
];
const REF_STARTS = ["", "refs/heads/", "refs/"];
const REF_ENDS = [
  "",
  "^{commit}",
  "~1",
  "..",
  "@{0",
  ":a.txt",
  "\nmain",
  "\0",
  "/../../HEAD",
  ".lock",
  " main",
  "%00",
  "\\",
  "^{/x}",
  "//",
];

/** 200 refs that a careless caller would pass on as options or commands. */
export function hostileRefs(): string[] {
  const all = REF_STARTS.flatMap((start) => REF_WORDS.flatMap((word) => REF_ENDS.map((end) => start + word + end)));
  return all.slice(0, 200);
}

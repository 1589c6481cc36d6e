/** Path globs as ripgrep's `--glob` reads them: the last one that matches decides, and without a slash any directory will do. */
import { CompassError } from "../model/errors.ts";
import { Pattern } from "../regex/pattern.ts";

/** Whether the globs let a path through. */
export function globFilter(globs: readonly string[]): (path: string) => boolean {
  const rules = globs.map((glob) => ({ keeps: !glob.startsWith("!"), pattern: globPattern(glob.replace(/^!/, "")) }));
  const byDefault = !rules.some((rule) => rule.keeps);
  return (path) => rules.findLast(({ pattern }) => pattern.first(path) === 0)?.keeps ?? byDefault;
}

const MOST_CHARS = 1_000;

function globPattern(glob: string): Pattern {
  const anchored = glob.replace(/^\//, "").includes("/") || glob.startsWith("/");
  try {
    if (glob === "" || glob.length > MOST_CHARS) throw new Error("empty or too long");
    const body = translated(glob.replace(/^\//, "").replace(/\/$/, "/**"));
    return new Pattern(`^${anchored ? "" : "(?:.*/)?"}${body}$`);
  } catch {
    throw new CompassError("invalid_input", {
      parameter: "glob",
      reason: `${JSON.stringify(glob.slice(0, 100))} is not a glob`,
    });
  }
}

function translated(glob: string): string {
  let out = "";
  let depth = 0;
  for (let i = 0; i < glob.length; i++) {
    const rest = glob.slice(i);
    const [piece, length] = globPiece(rest, depth);
    if (rest[0] === "{") depth++;
    if (rest[0] === "}" && depth > 0) depth--;
    out += piece;
    i += length - 1;
  }
  return out;
}

/** What the first characters mean, and how many they are. */
function globPiece(rest: string, depth: number): [string, number] {
  if (rest.startsWith("**/")) return ["(?:.*/)?", 3];
  if (rest.startsWith("/**") && (rest.length === 3 || rest[3] === "/"))
    return rest.length === 3 ? ["/.*", 3] : ["/(?:.*/)?", 4];
  if (rest.startsWith("**")) return [".*", 2];
  const char = rest[0]!;
  if (char === "*") return ["[^/]*", 1];
  if (char === "?") return ["[^/]", 1];
  if (char === "{") return ["(?:", 1];
  if (depth > 0 && char === ",") return ["|", 1];
  if (depth > 0 && char === "}") return [")", 1];
  if (char === "[") return characterClass(rest);
  if (char === "\\" && rest.length > 1) return [escaped(rest[1]!), 2];
  return [escaped(char), 1];
}

function characterClass(rest: string): [string, number] {
  const end = rest.indexOf("]", rest[1] === "!" || rest[1] === "^" ? 3 : 2);
  if (end < 0) throw new Error("unclosed class");
  const inside = rest
    .slice(1, end)
    .replace(/^!/, "^")
    .replace(/[[\]\\&~]/g, "\\$&");
  return [`[${inside}]`, end + 1];
}

function escaped(char: string): string {
  return /[\w\s]|[^\0-\x7f]/.test(char) ? char : `\\${char}`;
}

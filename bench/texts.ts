/** Texts of a tree that random queries are cut from. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LANGUAGES = "ts,js,py,rs,go,java,c,h,cc,rb,php,cs,kt,swift,zig,hs,ex,lua,sh";
const MOST_FILES = 300;

export function textsOf(root: string): string[] {
  const found = globSync(`**/*.{${LANGUAGES}}`, { cwd: root }).sort();
  const step = Math.max(1, Math.floor(found.length / MOST_FILES));
  return found
    .filter((_, at) => at % step === 0)
    .flatMap((path) => {
      try {
        return [readFileSync(join(root, path), "utf8")];
      } catch {
        return [];
      }
    });
}

import { expect, test } from "vitest";
import { namesSeveral, parseSelectors } from "./workspace-selector.ts";

const shown = (text: string) =>
  parseSelectors(text).map((word) => {
    const [kind, rest = ""] = Object.values(word) as string[];
    return `${kind} ${rest}`.trim();
  });

const check = (text: string, several: boolean, ...words: string[]) =>
  test(text, () => expect([namesSeveral(text), ...shown(text)]).toEqual([several, ...words]));

check("/home/me/api", false, "directory /home/me/api");
check("C:\\work\\api", false, "directory C:\\work\\api");
check("./all", false, "directory ./all");
check("github.com/acme/api", false, "either github.com/acme/api");
check("repo:github.com/acme/api", false, "name github.com/acme/api");
check("all", true, "all");
check("repo:github.com/acme/*", true, "glob github.com/acme/*");
check("repo:**/api", true, "glob **/api");
check("repo:github.com/{a,b}/x", true, "glob github.com/{a,b}/x");
check("/a,/b", true, "directory /a", "directory /b");
check("github.com/a/x, repo:github.com/b/*", true, "either github.com/a/x", "glob github.com/b/*");
// A directory may have a comma in its name.
check("/work/one,two", false, "directory /work/one,two");
check("repo:", false, "name");
check("/a,", false, "directory /a,");

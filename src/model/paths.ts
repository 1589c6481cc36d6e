/** Path arithmetic on real, absolute paths, and the names of ignore files. */

/** Windows: a drive or a share. There, both slashes separate names, and case does not tell names apart. */
const WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\|\/\/)/;

/** Whether the path is that directory or inside it, by path segments: `/root-evil` is not in `/root`. */
export function isInside(path: string, directory: string): boolean {
  const fold = WINDOWS.test(directory) ? (name: string) => name.toLowerCase() : (name: string) => name;
  const [inner, outer] = [namesIn(path).map(fold), namesIn(directory).map(fold)];
  return outer.length <= inner.length && outer.every((name, at) => name === inner[at]);
}

function namesIn(path: string): string[] {
  return withSlashes(path)
    .split("/")
    .filter((name) => name !== "");
}

/** On other systems a backslash is a letter like any other. */
function withSlashes(path: string): string {
  return WINDOWS.test(path) ? path.replaceAll("\\", "/") : path;
}

/** The path with `.`, `..` and doubled separators resolved, without looking at the disk. */
export function lexical(path: string): string {
  const names: string[] = [];
  for (const name of withSlashes(path).split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/** A filter for the chosen paths and everything below them. The path of a skipped directory ends in `/`. */
export function atOrBelow(chosen: readonly string[]): (path: string) => boolean {
  const places = new Set(chosen.map((path) => path.replace(/\/+$/, "")));
  // A name is cut out only where one of these may end: a tree's paths are many, and those that are chosen few.
  const lengths = new Set(Array.from(places, (place) => place.length));
  return (path) => {
    if (places.has(path)) return true;
    for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1)) {
      if (lengths.has(slash) && places.has(path.slice(0, slash))) return true;
    }
    return false;
  };
}

/** Names of ignore files by layer; a later layer overrides an earlier one. */
export const IGNORE_LAYERS: readonly (readonly string[])[] = [
  [".gitignore"],
  [".codecompassignore"],
  [".ccignore", ".ckignore", ".cruxeignore"],
];

/**
 * As which a change of ignore rules outside the tree is reported: git's info/exclude, the user's global ignore file or a
 * .gitignore above the root. No tree shows this path, and the run it causes walks the whole tree.
 */
export const OUTSIDE_RULES = ".git/info/exclude";

export const IGNORE_FILES: ReadonlySet<string> = new Set(IGNORE_LAYERS.flat());

/** The name of a file or directory, without where it lies. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

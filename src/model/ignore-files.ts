/** Names of the files whose patterns say what is left out, by layer; a later layer overrules an earlier one. */
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

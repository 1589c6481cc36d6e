/** Names of the files whose patterns say what is left out, by layer; a later layer overrules an earlier one. */
export const IGNORE_LAYERS: readonly (readonly string[])[] = [
  [".gitignore"],
  [".codecompassignore"],
  [".ccignore", ".ckignore", ".cruxeignore"],
];

export const IGNORE_FILES: ReadonlySet<string> = new Set(IGNORE_LAYERS.flat());

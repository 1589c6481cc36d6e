/** The sub-trees a walk is restricted to, as a tree of names. `undefined` stands for "everything from here on". */

export interface SelectedPaths extends ReadonlyMap<string, PathSelection> {}
export type PathSelection = SelectedPaths | undefined;

export function selectPaths(paths: readonly string[] | undefined): PathSelection {
  if (paths === undefined) return undefined;
  const root = new Map<string, PathSelection>();
  for (const path of paths) {
    const names = path.split("/").filter((name) => name !== "");
    if (names.length === 0) return undefined;
    // A path that climbs is no path of this tree.
    if (!names.some((name) => name === "." || name === "..")) add(root, names);
  }
  return root;
}

export function selectedNames(choice: PathSelection): readonly string[] | undefined {
  return choice && [...choice.keys()];
}

function add(node: Map<string, PathSelection>, names: readonly string[]): void {
  const [first, ...rest] = names as [string, ...string[]];
  if (rest.length === 0) {
    node.set(first, undefined);
    return;
  }
  if (!node.has(first)) node.set(first, new Map());
  // Already chosen as a whole: nothing below it narrows that.
  const below = node.get(first) as Map<string, PathSelection> | undefined;
  if (below !== undefined) add(below, rest);
}

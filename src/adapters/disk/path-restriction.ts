/** The sub-trees a walk is restricted to, as a tree of names. `undefined` stands for "everything from here on". */

export interface ChosenNames extends ReadonlyMap<string, Choice> {}
export type Choice = ChosenNames | undefined;

export function choose(paths: readonly string[] | undefined): Choice {
  if (paths === undefined) return undefined;
  const root = new Map<string, Choice>();
  for (const path of paths) {
    const names = path.split("/").filter((name) => name !== "");
    if (names.length === 0) return undefined;
    // A path that climbs is no path of this tree.
    if (!names.some((name) => name === "." || name === "..")) add(root, names);
  }
  return root;
}

export function chosenNames(choice: Choice): readonly string[] | undefined {
  return choice && [...choice.keys()];
}

function add(node: Map<string, Choice>, names: readonly string[]): void {
  const [first, ...rest] = names as [string, ...string[]];
  if (rest.length === 0) {
    node.set(first, undefined);
    return;
  }
  if (!node.has(first)) node.set(first, new Map());
  // Already chosen as a whole: nothing below it narrows that.
  const below = node.get(first) as Map<string, Choice> | undefined;
  if (below !== undefined) add(below, rest);
}

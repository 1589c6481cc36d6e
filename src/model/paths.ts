/** The one guard between a path and a directory it must lie in. Both are real paths: symlinks and `..` are resolved before. */

/** Whether the path is that directory or lies in it, compared name by name: `/root-evil` is not in `/root`. */
export function isInside(path: string, directory: string): boolean {
  const [inner, outer] = [namesIn(path), namesIn(directory)];
  return outer.length <= inner.length && outer.every((name, at) => name === inner[at]);
}

function namesIn(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}

/** The path with `.`, `..` and doubled separators worked out, without looking at the disk. */
export function lexical(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

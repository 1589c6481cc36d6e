/** Which file of a view a document of a SCIP index is about: the index may be of a part of the workspace, or from elsewhere. */
import type { FileRow } from "../ports/snapshot.ts";

/** Documents whose paths are tried. */
const TRIED = 500;

/** By the path of the document; files that the view does not have are missing. */
export function pathMapping(
  projectRoot: string,
  root: string,
  paths: readonly string[],
  rows: ReadonlyMap<string, FileRow>,
): ReadonlyMap<string, FileRow> {
  const sample = paths.slice(0, TRIED);
  const hits = (rename: Rename) => sample.reduce((sum, path) => sum + (rows.has(rename(path)) ? 1 : 0), 0);
  const [best] = renames(directoryOf(projectRoot), root)
    .map((rename) => ({ rename, hits: hits(rename) }))
    .sort((a, b) => b.hits - a.hits);
  const mapped = new Map<string, FileRow>();
  for (const path of paths) {
    const row = rows.get(best!.rename(path));
    if (row !== undefined) mapped.set(path, row);
  }
  return mapped;
}

type Rename = (path: string) => string;

/** The likeliest first: below the workspace, the workspace itself, around it, or made on another machine. */
function renames(from: string, root: string): Rename[] {
  const inside = below(from, root);
  const around = below(root, from);
  const parts = from.split("/").filter((part) => part !== "");
  return [
    ...(inside === undefined ? [] : [prefixed(inside)]),
    ...(around ? [(path: string) => below(path, around) ?? path] : []),
    (path) => path,
    ...parts.map((_, i) => prefixed(parts.slice(i).join("/"))),
  ];
}

function prefixed(directory: string): Rename {
  return directory === "" ? (path) => path : (path) => `${directory}/${path}`;
}

/** The path relative to a directory, "" for itself; undefined: it is not inside. */
function below(path: string, directory: string): string | undefined {
  if (path === directory) return "";
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : undefined;
}

function directoryOf(url: string): string {
  const path = url.replace(/^file:\/\/[^/]*/, "").replace(/\/+$/, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

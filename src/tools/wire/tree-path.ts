/** A path inside a tree by its name alone: what is compared may lie in git's objects only, where no link is followed. */
import type { Project } from "../../compass/compass.ts";
import { CompassError } from "../../model/errors.ts";
import { isInside, lexical } from "../../model/paths.ts";

const LONGEST_SHOWN = 200;

/** Relative to the root, without `.`, `..` and a last slash; "" is the whole tree. What leads out of it is refused. */
export function treePath(parameter: string, path: string, { root }: Pick<Project, "root">): string {
  const spelt = path.replaceAll("\\", "/");
  const whole = lexical(isAbsolute(spelt) ? spelt : `${root}/${spelt}`);
  if (isInside(whole, root)) return whole.slice(lexical(root).length).replace(/^\//, "");
  const reason = `${path.slice(0, LONGEST_SHOWN)} lies outside the workspace`;
  throw new CompassError("invalid_input", { parameter, reason });
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(path);
}

/** The package that most of a repository's source belongs to, if one stands out among several. */
import type { Snapshot } from "../ports/snapshot.ts";
import { matchedWords } from "./coverage.ts";
import { pathClasses } from "./path-class.ts";
import { pathWords } from "./query-words.ts";

export interface MainPackage {
  /** Its directory; empty: the root. */
  readonly root: string;
  /** How far it is ahead of the next largest, 0..1. */
  readonly lead: number;
  /** The directory of the package that a file belongs to. */
  packageOf(path: string): string;
}

/** With a second package of two thirds of its size, no package stands out. */
const MIN_LEAD = 1 / 3;

/** Undefined where no package stands out. */
export async function mainPackage(at: Snapshot): Promise<MainPackage | undefined> {
  const { stateId } = at.info;
  if (!known.has(stateId)) {
    if (known.size >= REMEMBERED) known.clear();
    known.set(stateId, findMainPackage((await at.files()).map(({ path }) => path)));
  }
  return known.get(stateId);
}

/** By state of a view. */
const known = new Map<string, MainPackage | undefined>();
const REMEMBERED = 64;

const MANIFEST =
  /(?:^|\/)(?:package\.json|Cargo\.toml|pyproject\.toml|setup\.py|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|composer\.json|pubspec\.yaml|Package\.swift|build\.zig|build\.sbt|[^/]+\.(?:csproj|fsproj|gemspec|cabal))$/;

export function findMainPackage(paths: readonly string[]): MainPackage | undefined {
  const roots = new Set(paths.filter((path) => MANIFEST.test(path)).map(directoryOf));
  roots.delete("");
  // Most repositories are one package: none of their paths has to be classified.
  if (roots.size === 0) return undefined;
  const isSource = sourceFilter();
  const packages = new Map<string, string>();
  const packageOf = (path: string): string => {
    const directory = directoryOf(path);
    let root = packages.get(directory);
    if (root === undefined) {
      root = directory;
      while (root !== "" && !roots.has(root)) root = directoryOf(root.slice(0, -1));
      packages.set(directory, root);
    }
    return root;
  };
  const sizes = new Map<string, number>();
  for (const path of paths) {
    if (!isSource(path)) continue;
    const root = packageOf(path);
    sizes.set(root, (sizes.get(root) ?? 0) + 1);
  }
  const [first, second] = [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  if (first === undefined || second === undefined) return undefined;
  const lead = 1 - second[1] / first[1];
  return lead < MIN_LEAD ? undefined : { root: first[0], lead, packageOf };
}

/** By directory and by the end of the name, which few files have for themselves: 20,000 paths take 20 to 60 ms. */
function sourceFilter(): (path: string) => boolean {
  const plain = new Map<string, boolean>();
  const isPlain = (path: string) => {
    const known = plain.get(path) ?? pathClasses(path).length === 0;
    plain.set(path, known);
    return known;
  };
  return (path) => {
    const directory = directoryOf(path);
    const name = path.slice(directory.length);
    return isPlain(`${directory}x.c`) && isPlain(`x${name.slice(Math.max(0, name.indexOf(".")))}`);
  };
}

function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** Whether the file is in another package, and the query does not name that package. */
export function isBesideMain(path: string, { root, packageOf }: MainPackage, words: readonly string[]): boolean {
  const own = packageOf(path);
  if (own === root) return false;
  const common = pathWords(root);
  return (
    matchedWords(
      words,
      pathWords(own).filter((word) => !common.includes(word)),
    ) === 0
  );
}

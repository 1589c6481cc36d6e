/** Names under which other programs know the packages of a view, from their manifests. */
import type { Snapshot } from "../ports/snapshot.ts";

const MANIFEST = /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|Cargo\.toml|go\.mod|pom\.xml)$/;
const MAX_MANIFESTS = 1_000;
const NAME = /^\s*"?name"?\s*[:=]\s*["']?([^"'\s,]+)|^module\s+(\S+)|<artifactId>([^<]+)<\/artifactId>/gm;

export async function ownPackages(at: Snapshot): Promise<ReadonlySet<string>> {
  const manifests = (await at.files()).filter(({ path }) => MANIFEST.test(path));
  const names = new Set<string>();
  for (const file of manifests.slice(0, MAX_MANIFESTS))
    for (const [, one, two, three] of (await at.text(file)).matchAll(NAME)) names.add((one ?? two ?? three)!);
  return names;
}

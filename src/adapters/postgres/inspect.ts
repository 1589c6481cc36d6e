/** In which of the four states a repository's index is. A server that cannot be reached is none of them. */
import { SCHEMA_VERSION } from "../../engine/schema-version.ts";
import type { SchemaReport } from "../../ports/store.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import type { Db } from "./db.ts";
import { findRepository, placeOf, schemaMessage } from "./repository.ts";
import type { Source } from "./source.ts";
import { readViews } from "./view-state.ts";

export async function inspectRepository(db: Db, source: Source, key: string): Promise<SchemaReport> {
  const repository = await findRepository(db, key);
  if (repository === undefined) return report("not_indexed", 0);
  const { schema_version: version } = repository;
  if (version !== SCHEMA_VERSION)
    return report("reindex_required", version, `The index cannot be used: ${schemaMessage(version)}.`);
  const views = await readViews(db, placeOf(repository));
  const [newest] = views.sort((a, b) => b.published_at - a.published_at);
  if (newest === undefined) return report("not_indexed", version);
  try {
    // The next question is most likely about it: its rows must add up.
    await source.state(newest.ref);
    return report("compatible", version);
  } catch (error) {
    if (!(error instanceof CorruptionError || error instanceof SyntaxError)) throw error;
    return report("corrupt_manifest", 0, error.message);
  }
}

export function report(status: SchemaReport["status"], currentVersion: number, message?: string): SchemaReport {
  return { status, currentVersion, requiredVersion: SCHEMA_VERSION, ...(message !== undefined && { message }) };
}

/** In which of the four states an index is; never throws. */
import { type CompassError, isDamage } from "../../model/errors.ts";
import type { SchemaReport } from "../../ports/store.ts";
import type { CurrentDatabase } from "./current-database.ts";
import { damaged, refusal } from "./failures.ts";
import { infoOf } from "./rows.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { type Source, schemaMessage } from "./source.ts";

export function inspectIndex(current: CurrentDatabase, noted: () => string | undefined): SchemaReport {
  try {
    const source = current.reader();
    if (source === undefined) current.requireNone();
    if (source === undefined || source.isEmpty()) return report("not_indexed", 0);
    const found = inspectSource(source);
    const damage = found.status === "compatible" ? noted() : undefined;
    return damage === undefined ? found : refused(damaged(damage));
  } catch (error) {
    return refused(refusal("reading the index", error));
  }
}

/** Loads the view that was published last, which the next question is most likely to need: its rows must add up. */
function inspectSource(source: Source): SchemaReport {
  const version = source.schemaVersion();
  if (version !== SCHEMA_VERSION) {
    return report("reindex_required", version, `The index cannot be used: ${schemaMessage(version)}.`);
  }
  const views = source.views().map((row) => infoOf(row, source.storeId()));
  const [newest] = views.sort((a, b) => b.publishedAt - a.publishedAt);
  if (newest === undefined) return report("not_indexed", version);
  source.state(newest.ref);
  return report("compatible", version);
}

function refused(error: CompassError): SchemaReport {
  const found = report("corrupt_manifest", 0, error.message);
  return isDamage(error) ? { ...found, damage: String(error.data.reason) } : found;
}

function report(status: SchemaReport["status"], currentVersion: number, message?: string): SchemaReport {
  return { status, currentVersion, requiredVersion: SCHEMA_VERSION, ...(message !== undefined && { message }) };
}

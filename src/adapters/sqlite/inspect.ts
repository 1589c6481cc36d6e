/** In which of the four states an index is; never throws. */
import type { SchemaReport } from "../../ports/store.ts";
import type { CurrentDatabase } from "./current.ts";
import { refusal } from "./failures.ts";
import { infoOf } from "./rows.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { type Source, schemaMessage } from "./source.ts";

export function inspectIndex(current: CurrentDatabase): SchemaReport {
  try {
    const source = current.reader();
    return source === undefined || source.isEmpty() ? report("not_indexed", 0) : inspectSource(source);
  } catch (error) {
    return report("corrupt_manifest", 0, refusal("reading the index", error).message);
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

function report(status: SchemaReport["status"], currentVersion: number, message?: string): SchemaReport {
  return { status, currentVersion, requiredVersion: SCHEMA_VERSION, ...(message !== undefined && { message }) };
}

/** All answers of a view as one string: equal stores give equal strings. */
import type { Snapshot } from "../../src/ports/snapshot.ts";
import type { Store } from "../../src/ports/store.ts";
import type { TextFile } from "./store.ts";

/** A small tree whose files name their round, so that a mixture of two rounds is visible. */
export function roundTree(round: number, files = 24): TextFile[] {
  return Array.from({ length: files }, (_, at) => ({
    path: `src/${at % 4}/file${at}.rs`,
    text: `def made${at} round${round} common words\n\ndef also${at} token${(at * 7) % 5} round${round}\n\n${"filler text ".repeat(at)}`,
    language: at % 3 === 0 ? "go" : "rust",
  }));
}

/** Undefined if there is no published state. Throws what the store throws. */
export async function dumpAnswers(store: Store, ref = "main"): Promise<string | undefined> {
  const snapshot = await store.snapshot(ref);
  if (snapshot === undefined) return undefined;
  try {
    return JSON.stringify(await snapshotContents(snapshot));
  } finally {
    snapshot.release();
  }
}

export async function snapshotContents(snapshot: Snapshot): Promise<unknown> {
  const files = await snapshot.files();
  const terms = ["common", "token1", "filler", "nowhere"].map((term) => ({ term, weight: 1 }));
  const page = await snapshot.lexical({ terms, limit: 1000 });
  const symbols = await snapshot.symbols({ name: "m", match: "prefix", limit: 1000 });
  const { generation: _, stateId: __, ...info } = snapshot.info;
  return {
    info,
    files: files.map((file) => [file.path, file.language, file.contentHash]),
    records: await Promise.all(files.map((file) => snapshot.record(file))),
    texts: await Promise.all(files.map((file) => snapshot.text(file))),
    ranked: page.candidates.map((hit) => [hit.file.path, hit.chunk, rounded(hit.score), hit.parts.map(rounded)]),
    matched: [page.matched, page.completeness],
    symbols: symbols.candidates.map((it) => [it.name, it.file.path, it.index]),
  };
}

/** Engines may add in another order; the port promises six digits. */
function rounded(score: number): number {
  return Number(score.toFixed(9));
}

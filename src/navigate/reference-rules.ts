/** The reference rules of languages, and the refusal where no language of a view has any. */
import { languageById } from "../languages/index.ts";
import { CompassError } from "../model/errors.ts";
import type { LanguageEdges } from "../model/language-edges.ts";
import type { Snapshot } from "../ports/snapshot.ts";

export function referenceRules(language: string): LanguageEdges | undefined {
  return languageById(language)?.edges;
}

/** Throws `no_edges_available` for a view in which no language has references. */
export function requireEdges({ info }: Snapshot): void {
  if (info.fileCount === 0 || info.languages.some(({ language }) => referenceRules(language))) return;
  throw new CompassError("no_edges_available", { ref: info.ref });
}

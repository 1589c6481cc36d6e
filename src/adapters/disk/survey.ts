/** Walks with a memory: a walk of the whole tree leaves what it saw, a survey lists only what was touched since. */
import type { SurveyOptions, WalkItem, WalkOptions } from "../../ports/files.ts";
import { rulesFingerprint, ruleTexts } from "./ignore-rules.ts";
import { type WalkMemory, walk } from "./walk.ts";
import { type KnownDirectory, loadWalkCache, saveWalkCache, walkCacheFile } from "./walk-cache.ts";

/** A memory with this many directories out of date is written anew; fewer cost less than writing it. */
const OUT_OF_DATE = 64;
/** The memory is written when the answer that waits for the survey is out. */
const WRITE_AFTER_MS = 500;

/** As `walk`; everything is listed, and what is found is remembered when the walk is over. */
export async function* walkAndRemember(root: string, options: WalkOptions = {}): AsyncGenerator<readonly WalkItem[]> {
  const texts = ruleTexts(root, options);
  const recall = { known: new Map(), learnt: new Map<string, KnownDirectory>(), listed: 0 };
  yield* walk(root, options, texts, recall);
  if (options.memory === undefined || options.only !== undefined) return;
  await saveWalkCache(walkCacheFile(options.memory, root), rulesFingerprint(texts, options), recall.learnt);
}

export async function survey(
  root: string,
  options: SurveyOptions,
  see: (path: string, stamp: string) => void,
): Promise<void> {
  const texts = ruleTexts(root, options);
  const rules = rulesFingerprint(texts, options);
  const file = options.memory === undefined ? undefined : walkCacheFile(options.memory, root);
  const known = file === undefined ? new Map() : await loadWalkCache(file, rules);
  const recall: WalkMemory = { known, learnt: new Map(), listed: 0 };
  for await (const batch of walk(root, options, texts, recall)) {
    for (const item of batch) if ("file" in item) see(item.file.path, item.file.stamp);
  }
  if (file !== undefined && options.only === undefined && recall.listed >= OUT_OF_DATE) {
    setTimeout(() => void saveWalkCache(file, rules, recall.learnt), WRITE_AFTER_MS).unref();
  }
}

/**
 * A view's entries at one generation as one blob: a new process loads that and the few rows that were opened or closed
 * since. It is made from the rows and never needed: one that is missing, damaged or too old is ignored.
 */
import type { SkipReason } from "../model/code.ts";
import type { ContentHash, FileId } from "../model/ids.ts";
import type { Content, ViewRow, WritableContent } from "../ports/backend.ts";
import { packColumns, unpackColumns } from "../segment/column-blobs.ts";
import { addsUp, type IndexedFile, loadPlain, type ViewContent } from "./view-state.ts";

/** Views with fewer entries are as quickly read from their rows. */
export const WORTH_PACKING = 512;

/** Packs the view's present state for the processes to come, if it is large and adds up. */
export async function packView(content: WritableContent, row: ViewRow): Promise<void> {
  if (row.baseView !== null) return;
  const { id: view, generation } = row;
  const [present] = await content.blobs({ kind: "pack", view });
  if (present?.owner === generation) return;
  const shown = await loadPlain(content, { view, generation });
  if (!addsUp(shown, row) || shown.files.size + shown.skips.size < WORTH_PACKING) return;
  await content.write("pack", [{ pack: { view, generation, bytes: encodeView(shown) } }]);
}

/** The view's pack if it is of this generation or of an earlier one. */
export async function readPack(
  content: Content,
  { id: view, generation }: Pick<ViewRow, "id" | "generation">,
): Promise<(ViewContent & { readonly generation: number }) | undefined> {
  const [pack] = await content.blobs({ kind: "pack", view });
  if (pack === undefined || pack.owner > generation) return undefined;
  try {
    return { generation: pack.owner, ...decodeView(pack.bytes) };
  } catch {
    return undefined;
  }
}

interface Meta {
  readonly digest: string;
  readonly languages: readonly string[];
  readonly problems: readonly (readonly [file: number, problem: string])[];
  readonly skips: readonly (readonly [path: string, reason: SkipReason])[];
}

export function encodeView({ files: byPath, skips, digest }: ViewContent): Uint8Array {
  const files = [...byPath.values()];
  const languages = [...new Set(files.map((file) => file.language))];
  const numbers = new Map(languages.map((language, at) => [language, at]));
  const problems = files.flatMap(({ problem }, at) => (problem === undefined ? [] : [[at, problem] as const]));
  const column = (of: (file: IndexedFile) => number) => Uint32Array.from(files, of);
  const meta: Meta = { digest, languages, problems, skips: [...skips] };
  return packColumns({
    meta,
    texts: [files.map((file) => file.path), files.map((file) => file.contentHash)],
    words: [
      column((file) => file.id),
      column((file) => numbers.get(file.language)!),
      column((file) => file.symbols),
      column((file) => file.chunks),
    ],
  });
}

export function decodeView(bytes: Uint8Array): ViewContent {
  const { meta, texts, words } = unpackColumns(bytes);
  const { digest, languages, problems, skips } = meta as Meta;
  const [paths, hashes] = texts as [string[], string[]];
  const [ids, numbers, symbols, chunks] = words as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  const problemOf = new Map(problems);
  const files = new Map<string, IndexedFile>();
  for (let at = 0; at < ids.length; at++) {
    const file = {
      id: ids[at]! as FileId,
      path: paths[at]!,
      language: languages[numbers[at]!]!,
      contentHash: hashes[at]! as ContentHash,
      symbols: symbols[at]!,
      chunks: chunks[at]!,
    };
    const problem = problemOf.get(at);
    files.set(file.path, problem === undefined ? file : { ...file, problem });
  }
  return { files, skips: new Map(skips), digest };
}

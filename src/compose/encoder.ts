/** The built-in encoder of a parse worker: opened when the first file needs it, once. */
import { BUILT_IN, type BuiltIn, openBuiltIn } from "../adapters/embedders/built-in.ts";
import type { DocumentEncoder } from "../ports/embedder.ts";
import type { EmbeddingSettings } from "../ports/indexer.ts";

let opened: { readonly encoder?: BuiltIn } | undefined;

/** Nothing where another model is configured, or the file cannot be used: whoever asks by meaning is told why. */
export function encoderFor(settings: EmbeddingSettings | undefined): { readonly encoder?: DocumentEncoder } {
  if ((settings?.model ?? BUILT_IN) !== BUILT_IN || settings?.endpoint !== undefined) return {};
  opened ??= open();
  return opened;
}

function open(): { readonly encoder?: BuiltIn } {
  try {
    return { encoder: openBuiltIn() };
  } catch {
    return {};
  }
}

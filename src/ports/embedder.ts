/** Embedding models as the core needs them. The built-in one is a computation; others may live in another process. */
import type { EmbeddingModel, Passage, Vectors, WordPassage } from "../model/vectors.ts";

/** Encodes while a file is read: pure, fast, in any thread. */
export interface DocumentEncoder {
  readonly model: EmbeddingModel;
  /** As `Embedder.documents` of the same words. */
  encode(passages: readonly WordPassage[]): Vectors;
}

export interface Embedder {
  readonly model: EmbeddingModel;
  /** A vector of length 1; undefined when the model knows none of the words. */
  query(text: string, signal?: AbortSignal): Promise<Float32Array | undefined>;
  documents(passages: readonly Passage[], signal?: AbortSignal): Promise<Vectors>;
}

/** A model that cannot be used is an answer: search continues by words, and reports why. */
export type EmbedderAnswer = { readonly embedder: Embedder } | { readonly unavailable: string };

export interface Embedders {
  /** The configured name. */
  readonly name: string;
  /** Whether files are embedded while they are read. */
  readonly inParsers: boolean;
  /** Opens the configured model once; later calls are free. */
  open(): Promise<EmbedderAnswer>;
}

/** Meaning as numbers: what is embedded, and what comes of it. */

/** The model of vectors. Vectors of two models are never compared. */
export interface EmbeddingModel {
  /** As the configuration spells it; `default` is the built-in one. */
  readonly name: string;
  /** Another fingerprint, other vectors. */
  readonly fingerprint: string;
  readonly dims: number;
  /** The cosine above which a text is more likely relevant than not; absent if not measured. */
  readonly cut?: number;
}

/** A text to embed. */
export interface Passage {
  readonly text: string;
  /** Path of its file; absent: the text alone. */
  readonly path?: string;
}

/** A word of a text. The embedder caches its tokens here. */
export interface EmbeddedWord {
  readonly text: string;
  /** One as it is: most words have one, and are met in every chunk, where a list would have to be fetched from memory. */
  tokens: number | readonly number[];
  tokenizedBy: object | undefined;
}

/** The words of a text, each once, in the order in which they first appear, and how often they do. */
export interface EmbeddedWords {
  readonly words: readonly EmbeddedWord[];
  readonly counts: readonly number[];
}

/** A passage by the words of its parts. */
export interface WordPassage {
  readonly parts: readonly EmbeddedWords[];
  readonly path: string;
}

/** The vectors of some chunks, in their order. */
export interface Vectors {
  readonly dims: number;
  /** Row i is `rows[i * dims …]`. */
  readonly rows: Int8Array;
  /** By row: 1 / length of the row; 0 for a chunk that is like nothing. */
  readonly scales: Float32Array;
}

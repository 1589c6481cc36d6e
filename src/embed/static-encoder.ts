/**
 * Text → vector with a static model. A document is Σ (1 + ln tf) · weight · row over its tokens, its path's tokens once
 * each beside them; a query is Σ weight · row over the set of its tokens, times the model's query map. Exactly what the
 * model was trained with.
 */
import type { EmbeddedWord, EmbeddedWords, Passage, Vectors, WordPassage } from "../model/vectors.ts";
import type { StaticModel } from "./static-model.ts";
import { Tokenizer } from "./tokens.ts";
import { plainAdder, type VectorSum } from "./vector-sum.ts";

const PATH_PARTS = 4;
const PATH_TOKENS = 20;

export class StaticEncoder {
  readonly model: StaticModel;
  readonly #tokenizer: Tokenizer;
  readonly #adder: VectorSum;
  /** How often each token occurs in the text at hand; all zero in between. */
  readonly #counts: Uint32Array;
  /** The tokens that occur, in the order of their first appearance. */
  readonly #seen: Uint32Array;
  #seenCount = 0;
  #path: { readonly name: string; readonly tokens: readonly number[] } = { name: "", tokens: [] };

  constructor(model: StaticModel, adder: VectorSum = plainAdder(model)) {
    this.model = model;
    this.#tokenizer = new Tokenizer(model);
    this.#adder = adder;
    this.#counts = new Uint32Array(model.vocabulary.size);
    this.#seen = new Uint32Array(model.vocabulary.size);
  }

  /** Passages as the store keeps them. */
  encodeAll(passages: readonly Passage[]): Vectors {
    return this.#stored(passages.length, (i) => this.#document(passages[i]!));
  }

  /** The same of passages whose words are counted already: those of a file's chunks are those that full text counts. */
  encodeWords(passages: readonly WordPassage[]): Vectors {
    return this.#stored(passages.length, (i) => {
      const { parts, path } = passages[i]!;
      for (const part of parts) this.#countWords(part);
      this.#weigh(path);
    });
  }

  #stored(count: number, weigh: (passage: number) => void): Vectors {
    const { dims } = this.model;
    const rows = new Int8Array(count * dims);
    const scales = new Float32Array(count);
    for (let i = 0; i < count; i++) {
      weigh(i);
      scales[i] = this.#adder.pack(rows.subarray(i * dims, (i + 1) * dims));
    }
    return { dims, rows, scales };
  }

  /** A passage as a vector of length 1; all zero when no token is known. */
  document(passage: Passage): Float32Array {
    this.#document(passage);
    return unit(this.#adder.sum());
  }

  /** A question as a vector of length 1; undefined when the model knows none of its words (pieces of words mean nothing). */
  query(text: string): Float32Array | undefined {
    const known = this.#count(text);
    const { queryWeights } = this.model;
    for (let i = 0; i < this.#seenCount; i++) {
      const token = this.#seen[i]!;
      this.#adder.weigh(token, queryWeights[token]!);
    }
    this.#forget();
    const sum = this.#adder.sum();
    return known ? unit(mapped(sum, this.model.queryMap)) : undefined;
  }

  #document({ text, path }: Passage): void {
    this.#count(text);
    this.#weigh(path);
  }

  /** The tokens that were counted, and those of the path. */
  #weigh(path: string | undefined): void {
    const { documentWeights } = this.model;
    for (let i = 0; i < this.#seenCount; i++) {
      const token = this.#seen[i]!;
      const count = this.#counts[token]!;
      this.#adder.weigh(token, (count === 1 ? 1 : 1 + Math.log(count)) * documentWeights[token]!);
    }
    this.#forget();
    if (path !== undefined)
      for (const token of this.#pathTokens(path)) this.#adder.weigh(token, documentWeights[token]!);
  }

  /** The passages of a file come one after the other. */
  #pathTokens(path: string): readonly number[] {
    if (this.#path.name === path) return this.#path.tokens;
    const tokens: number[] = [];
    this.#tokenizer.each(pathText(path), (token) => {
      if (tokens.length < PATH_TOKENS) tokens.push(token);
    });
    this.#path = { name: path, tokens };
    return tokens;
  }

  /** Whether any of it is a whole word. */
  #count(text: string): boolean {
    const counts = this.#counts;
    let known = false;
    this.#tokenizer.each(text, (token, whole) => {
      known ||= whole;
      if (counts[token]!++ === 0) this.#seen[this.#seenCount++] = token;
    });
    return known;
  }

  #countWords({ words, counts }: EmbeddedWords): void {
    for (let i = 0; i < words.length; i++) {
      const tokens = this.#tokensOf(words[i]!);
      if (typeof tokens === "number") this.#countToken(tokens, counts[i]!);
      else for (let j = 0; j < tokens.length; j++) this.#countToken(tokens[j]!, counts[i]!);
    }
  }

  #countToken(token: number, count: number): void {
    const known = this.#counts;
    if (known[token] === 0) this.#seen[this.#seenCount++] = token;
    known[token]! += count;
  }

  #tokensOf(word: EmbeddedWord): EmbeddedWord["tokens"] {
    if (word.tokenizedBy === this) return word.tokens;
    const tokens = this.#tokenizer.tokensOf(word.text);
    word.tokens = tokens.length === 1 ? tokens[0]! : tokens;
    word.tokenizedBy = this;
    return word.tokens;
  }

  #forget(): void {
    for (let i = 0; i < this.#seenCount; i++) this.#counts[this.#seen[i]!] = 0;
    this.#seenCount = 0;
  }
}

function mapped(sum: Float32Array, map: Float32Array): Float32Array {
  const { length } = sum;
  const out = new Float32Array(length);
  // Four rows at a time: the result is read and written a quarter as often.
  for (let i = 0; i < length; i += 4) {
    const [a, b, c, d] = [sum[i]!, sum[i + 1] ?? 0, sum[i + 2] ?? 0, sum[i + 3] ?? 0];
    const [p, q, r, s] = [i * length, (i + 1) * length, (i + 2) * length, (i + 3) * length];
    for (let j = 0; j < length; j++) {
      out[j]! += a * map[p + j]! + b * (map[q + j] ?? 0) + c * (map[r + j] ?? 0) + d * (map[s + j] ?? 0);
    }
  }
  return out;
}

/** The last parts of a path, without the extension. */
function pathText(path: string): string {
  return path
    .split("/")
    .slice(-PATH_PARTS)
    .join("/")
    .replace(/\.[^./]*$/, "");
}

function unit(sum: Float32Array): Float32Array {
  let squares = 0;
  for (const value of sum) squares += value * value;
  const scale = 1 / (Math.sqrt(squares) + 1e-9);
  return sum.map((value) => value * scale);
}

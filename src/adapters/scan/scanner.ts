/** Scans in the thread it runs in, in slices: between two texts others get their turn. */
import { nextTurn } from "../../model/event-loop.ts";
import type { FileBytes, LoadedText, LoadTexts, Scanner, ScanReply, ScanRequest } from "../../ports/scanner.ts";
import { LineCounter, Pattern } from "../../regex/pattern.ts";
import { decodeText } from "../../segment/stored-content.ts";
import { decode } from "../../text/decode.ts";
import { maskSecrets } from "../../text/mask-secrets.ts";
import { admits, trigramBits } from "../../text/trigrams.ts";

export interface ScannerOptions {
  /** Characters of decoded text to keep for the next search. */
  readonly cacheChars: number;
  /** How long a slice may take; a single text is not cut. */
  readonly sliceMs: number;
  /** Learn the trigrams of large plain texts after a search, so that the next one need not look through them. */
  readonly learns?: boolean;
  /** Steps that one search may spend beside reading text. */
  readonly mostWork?: number;
  /** Characters that one search may open; absent: all it needs. */
  readonly mostChars?: number;
  /** Characters of the longest text that it looks through; a search that needs a longer one is not complete. */
  readonly longestText?: number;
}

/** Number of texts loaded in one request: small enough to arrive soon, large enough to make the request cheap. */
const BATCH = 128;

/** Scanning a smaller text takes less time than looking up its trigrams. */
const WORTH_LEARNING = 2_000;
/** At 4 or 32 KB each. */
const MOST_LEARNT = 2_000;

export class TextScanner implements Scanner {
  private readonly options: ScannerOptions;
  private readonly cache: TextCache;
  private readonly learnt = new Map<string, Uint8Array>();
  /** What was looked for last; many repositories are looked through in several requests. */
  private last: { readonly key: string; readonly pattern: WeakRef<Pattern> } | undefined;

  constructor(options: ScannerOptions) {
    this.options = options;
    this.cache = new TextCache(options.cacheChars);
  }

  async scan(request: ScanRequest, load: LoadTexts, signal?: AbortSignal): Promise<ScanReply> {
    const { keys, offset, limit } = request;
    const unknown = new Map<string, string>();
    const fetch = (from: number) => this.fetch(request, from, load);
    const tally = new LineCounter(this.patternOf(request), keys.length, { offset, limit });
    if (this.cache.isFull && keys.length > 1_000) this.cache.retain(new Set(keys));
    const { mostChars: most = Number.POSITIVE_INFINITY, longestText = most } = this.options;
    const found = (complete: boolean) => ({ counts: tally.counts, places: tally.places, complete });
    let room = most;
    let since = performance.now();
    // The next batch is fetched while this one is looked through.
    let coming = fetch(0);
    for (let from = 0; from < keys.length && tally.complete; from += BATCH) {
      const texts = await coming;
      coming = fetch(from + BATCH);
      coming.catch(() => {});
      for (let i = 0; i < texts.length && tally.complete; i++) {
        const text = this.opened(keys[from + i]!, texts[i], unknown);
        room -= text.length;
        if (room < 0 || text.length > longestText) return found(false);
        tally.add(from + i, text);
        if (performance.now() - since < this.options.sliceMs) continue;
        await nextTurn();
        signal?.throwIfAborted();
        since = performance.now();
      }
    }
    void this.learn(unknown);
    return found(tally.complete);
  }

  async close(): Promise<void> {}

  private patternOf({ pattern, options }: ScanRequest): Pattern {
    const key = JSON.stringify([pattern, options]);
    const known = this.last?.key === key ? this.last.pattern.deref() : undefined;
    known?.forgetWork();
    const made = known ?? new Pattern(pattern, options, this.options.mostWork);
    if (known === undefined) this.last = { key, pattern: new WeakRef(made) };
    return made;
  }

  /** Texts, or what they are stored as. One that is known not to match is as good as empty. */
  private async fetch({ keys, plan }: ScanRequest, from: number, load: LoadTexts): Promise<readonly LoadedText[]> {
    const batch = keys.slice(from, from + BATCH);
    const texts = batch.map((key): LoadedText => {
      const bits = this.learnt.get(key);
      return bits !== undefined && !admits(plan, bits) ? "" : this.cache.get(key);
    });
    const missing = texts.flatMap((text, i) => (text === undefined ? [i] : []));
    if (missing.length > 0) {
      const loaded = await load(missing.map((i) => from + i));
      for (const [at, i] of missing.entries()) texts[i] = loaded[at];
    }
    return texts;
  }

  /** When its turn has come: a text is unpacked in as long as it is looked through. */
  private opened(key: string, it: LoadedText, unknown: Map<string, string>): string {
    if (it === undefined || typeof it === "string") return it ?? "";
    if (it instanceof Uint8Array) return this.kept(key, decodeText(it));
    const text = this.kept(key, textOfFile(it));
    // The index chose packed texts by their trigrams; of a file's bytes nothing is known.
    if (text.length >= WORTH_LEARNING) unknown.set(key, text);
    return text;
  }

  private kept(key: string, text: string): string {
    this.cache.set(key, text);
    return text;
  }

  /** After the answer, one text a turn. */
  private async learn(texts: ReadonlyMap<string, string>): Promise<void> {
    if (this.options.learns !== true) return;
    for (const [key, text] of texts) {
      if (this.learnt.size >= MOST_LEARNT) this.learnt.clear();
      await nextTurn();
      this.learnt.set(key, trigramBits(text));
    }
  }
}

function textOfFile({ bytes, masksSecrets }: FileBytes): string {
  const text = decode(bytes)?.text ?? "";
  return masksSecrets ? maskSecrets(text) : text;
}

/** Keeps decoded texts, those used last, up to a number of characters. */
export class TextCache {
  private readonly most: number;
  private readonly kept = new Map<string, string>();
  private size = 0;

  constructor(mostChars: number) {
    this.most = mostChars;
  }

  get(key: string): string | undefined {
    return this.kept.get(key);
  }

  /**
   * A text that does not fit any more is not kept: a search goes through all texts in order, and one that pushed out the
   * oldest would find nothing the next time. What was not used for long goes when `age` is called.
   */
  set(key: string, text: string): void {
    if (this.kept.has(key) || this.size + text.length > this.most) return;
    this.kept.set(key, text);
    this.size += text.length;
  }

  /** Makes room for the texts of another view by forgetting those that are not among these. */
  retain(keys: ReadonlySet<string>): void {
    for (const [key, text] of this.kept) {
      if (keys.has(key)) continue;
      this.kept.delete(key);
      this.size -= text.length;
    }
  }

  get isFull(): boolean {
    return this.size > this.most * 0.9;
  }
}

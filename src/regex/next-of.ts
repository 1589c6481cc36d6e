/** The next place of any of several texts, going forward only: each is looked for once in every stretch. */
export class TextFinder {
  readonly text: string;
  private readonly wanted: readonly string[];
  /** By text: where it stands next, at or after the place asked last; -1 when nowhere. */
  private readonly places: Int32Array;
  private last = 0;

  constructor(wanted: readonly string[], text: string) {
    this.wanted = wanted;
    this.text = text;
    this.places = Int32Array.from(wanted, (one) => text.indexOf(one));
  }

  /** At or after `from`, or -1. Asking for an earlier place than before starts anew. */
  next(from: number): number {
    const anew = from < this.last;
    this.last = from;
    let first = -1;
    for (let i = 0; i < this.wanted.length; i++) {
      let at = this.places[i]!;
      if (anew || (at >= 0 && at < from)) {
        at = this.text.indexOf(this.wanted[i]!, from);
        this.places[i] = at;
      }
      if (at >= 0 && (first < 0 || at < first)) first = at;
    }
    return first;
  }
}

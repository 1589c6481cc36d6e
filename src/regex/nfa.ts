/** Compiles a pattern to a program of small steps (Thompson's construction) of bounded size: `a{9}{9}{9}{9}…` is refused. */
import { HIGH_BYTES } from "./bytes.ts";
import { type CharSet, union } from "./char-set.ts";
import { type Assertion, badPattern, type Node } from "./syntax.ts";

/** `next` and `other` are positions in the program; of a fork, `next` is tried first. */
export type ProgramStep =
  | { readonly op: "set"; readonly set: number; next: number }
  | { readonly op: "assertion"; readonly assertion: Assertion; next: number }
  | { readonly op: "fork"; next: number; other: number }
  | { readonly op: "match" };

export interface Program {
  readonly steps: readonly ProgramStep[];
  readonly start: number;
  /** Distinct sets, named by position in `set` steps. */
  readonly sets: readonly CharSet[];
  readonly assertions: readonly Assertion[];
}

/** Typical patterns have some hundred steps. */
const MOST_STEPS = 50_000;

export function compile(node: Node): Program {
  const builder = new ProgramBuilder();
  const start = builder.build(node, builder.push({ op: "match" }));
  return { steps: builder.steps, start, sets: builder.sets, assertions: builder.assertions };
}

/** Builds from the end: the continuation of every part is known, so only loops are patched. */
class ProgramBuilder {
  readonly steps: ProgramStep[] = [];
  readonly sets: CharSet[] = [];
  readonly assertions: Assertion[] = [];
  /** Position of the outermost repetition that is being built, for the error message. */
  private widest = 0;
  private depth = 0;
  private readonly setNumbers = new Map<string, number>();
  /** Set numbers by identity, because the parser shares large sets. */
  private readonly seen = new Map<CharSet, number>();

  push(step: ProgramStep): number {
    if (this.steps.length >= MOST_STEPS) throw badPattern("the pattern is too large: it repeats too much", this.widest);
    this.steps.push(step);
    return this.steps.length - 1;
  }

  /** Returns the entry of `node`, with `next` after it. */
  build(node: Node, next: number): number {
    switch (node.kind) {
      case "empty":
        return next;
      case "set":
        return this.push({ op: "set", set: this.numberOf(node.set), next });
      case "byte":
        return this.push({ op: "set", set: this.numberOf(union(node.ascii, HIGH_BYTES)), next });
      case "assertion":
        this.assertions.push(node.assertion);
        return this.push({ op: "assertion", assertion: node.assertion, next });
      case "cat":
        return node.parts.reduceRight((after, part) => this.build(part, after), next);
      case "alt":
        return node.parts
          .map((part) => this.build(part, next))
          .reduceRight((other, branch) => this.push({ op: "fork", next: branch, other }));
      case "repeat":
        return this.marked(node, next);
    }
  }

  private marked(node: Extract<Node, { kind: "repeat" }>, next: number): number {
    if (this.depth === 0) this.widest = node.at;
    this.depth++;
    const entry = this.repeat(node, next);
    this.depth--;
    return entry;
  }

  private repeat({ node, min, max, lazy }: Extract<Node, { kind: "repeat" }>, next: number): number {
    // An empty match needs no repetition; unrolling `(((){9999}){9999}){9999}` would take for ever.
    if (max === 0 || isEmpty(node)) return min === 0 ? next : this.build(node, next);
    let after = next;
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.push({ op: "fork", next: -1, other: -1 });
      const body = this.build(node, loop);
      this.aim(loop, body, next, lazy);
      after = min > 0 ? body : loop;
      for (let i = 1; i < min; i++) after = this.build(node, after);
      return after;
    }
    for (let i = min; i < max; i++) {
      const fork = this.push({ op: "fork", next: -1, other: -1 });
      this.aim(fork, this.build(node, after), next, lazy);
      after = fork;
    }
    for (let i = 0; i < min; i++) after = this.build(node, after);
    return after;
  }

  private aim(fork: number, body: number, exit: number, lazy: boolean): void {
    this.steps[fork] = lazy ? { op: "fork", next: exit, other: body } : { op: "fork", next: body, other: exit };
  }

  private numberOf(set: CharSet): number {
    const same = this.seen.get(set);
    if (same !== undefined) return same;
    const key = set.join();
    let number = this.setNumbers.get(key);
    if (number === undefined) {
      number = this.sets.length;
      this.sets.push(set);
      this.setNumbers.set(key, number);
    }
    this.seen.set(set, number);
    return number;
  }
}

function isEmpty(node: Node): boolean {
  if (node.kind === "cat" || node.kind === "alt") return node.parts.every(isEmpty);
  if (node.kind === "repeat") return node.max === 0 || isEmpty(node.node);
  return node.kind === "empty" || node.kind === "assertion";
}

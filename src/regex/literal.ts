/** Plain text that every match of a pattern holds: `indexOf` finds it several times faster than an automaton. */
import type { Node } from "./syntax.ts";

export interface Literals {
  /** Every match holds one of these. */
  readonly texts: readonly string[];
  /** The pattern is nothing but these texts. */
  readonly whole: boolean;
}

/** Shorter text stands in every other line; looking for it first would only cost. */
const SHORTEST = 3;
/** Looking for more texts than these, one by one, takes as long as the automaton. */
const MOST_TEXTS = 4;

export function literalsOf(node: Node): Literals | undefined {
  const branches = node.kind === "alt" ? node.parts : [node];
  if (branches.length > MOST_TEXTS) return undefined;
  const found = branches.map(longest);
  const whole = branches.every((branch, i) => found[i] !== "" && spells(branch) === found[i]);
  const isWorthIt = found.every((text) => text.length >= SHORTEST) || (whole && branches.length === 1);
  return isWorthIt ? { texts: found, whole } : undefined;
}

function longest(node: Node): string {
  const runs = new Runs();
  runs.visit(node);
  return runs.finish();
}

/** Collects stretches of single characters that must stand side by side. */
class Runs {
  private run = "";
  private best = "";

  visit(node: Node): void {
    switch (node.kind) {
      case "empty":
      case "look":
        return;
      case "set":
        if (isSingle(node.set)) this.run += String.fromCodePoint(node.set[0]!);
        else this.cut();
        return;
      case "cat":
        for (const part of node.parts) this.visit(part);
        return;
      case "repeat":
        this.repeated(node);
        return;
      case "alt":
        this.cut();
    }
  }

  finish(): string {
    this.cut();
    return this.best;
  }

  private repeated({ node, min }: Extract<Node, { kind: "repeat" }>): void {
    this.cut();
    if (min > 0) this.visit(node);
    this.cut();
  }

  private cut(): void {
    if (this.run.length > this.best.length) this.best = this.run;
    this.run = "";
  }
}

/** The text, when the node is single characters only. */
function spells(node: Node): string | undefined {
  if (node.kind === "set") return isSingle(node.set) ? String.fromCodePoint(node.set[0]!) : undefined;
  if (node.kind !== "cat") return node.kind === "empty" ? "" : undefined;
  const parts = node.parts.map(spells);
  return parts.includes(undefined) ? undefined : parts.join("");
}

function isSingle(set: readonly number[]): boolean {
  return set.length === 2 && set[0] === set[1];
}

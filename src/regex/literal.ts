/** The longest plain text that every match of a pattern holds: `indexOf` finds it several times faster than an automaton. */
import type { Node } from "./syntax.ts";

export interface Literal {
  readonly text: string;
  /** The pattern is nothing but this text. */
  readonly whole: boolean;
}

/** Shorter text stands in every other line; looking for it first would only cost. */
const SHORTEST = 3;

export function literalOf(node: Node): Literal | undefined {
  const runs = new Runs();
  runs.visit(node);
  const text = runs.finish();
  const whole = text !== "" && spells(node) === text;
  return whole || text.length >= SHORTEST ? { text, whole } : undefined;
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

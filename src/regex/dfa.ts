/**
 * Runs the program on all its paths at once, with one table look-up per character. States are created on demand and dropped
 * when there are too many, so memory is bounded and time is linear in the text for any pattern.
 */
import { type Alphabet, assertionSets, buildAlphabet, END_OF_LINE, holds, SIDE } from "./alphabet.ts";
import type { Program, ProgramStep } from "./nfa.ts";
import type { Assertion } from "./syntax.ts";

/** Special entries of the table. */
export const UNKNOWN = 0;
export const MATCHED = 1;
/** Nothing else can match in this line. */
export const DEAD = 2;

/** 8 MB for the table and about as much for the states. */
const MOST_ENTRIES = 1 << 21;
const MOST_ITEMS = 1 << 21;

const OPS = { set: 0, assertion: 1, fork: 2, match: 3 } as const;

interface State {
  /** Steps at which a path waits: sets, assertions and the match. Ascending. */
  readonly items: Int32Array;
  /** Side bits of the previous character. */
  readonly before: number;
}

export class Dfa {
  readonly alphabet: Alphabet;
  /** By row of the state and letter: the row of the next state or a special entry. */
  table: Int32Array;
  /** Row of the state at the start of a line. */
  start = 0;
  /** Steps taken to create states: the cost of a pattern in addition to look-ups. */
  work = 0;
  private readonly program: Program;
  /** The steps of the program as columns: a hostile pattern visits millions of them. */
  private readonly ops: Uint8Array;
  private readonly nexts: Int32Array;
  /** The second branch of a fork, or the set of a set step. */
  private readonly others: Int32Array;
  private readonly width: number;
  private readonly sides: Uint8Array;
  private readonly afters: readonly number[];
  private readonly accepts: readonly (Uint8Array | number)[];
  private readonly marks: Uint32Array;
  private readonly stack: Int32Array;
  /** Buffers for the steps of a state before it is known whether the state exists. */
  private readonly reached: Int32Array;
  private readonly waiting: Int32Array;
  private round = 0;
  private states: State[] = [];
  /** Rows of states by hash. */
  private rows = new Map<number, number[]>();
  private itemCount = 0;
  /** Whether a match may start inside a line. */
  private readonly restarts: boolean;

  constructor(program: Program) {
    const sides = assertionSets(program.assertions);
    this.program = program;
    const { steps } = program;
    this.ops = Uint8Array.from(steps, ({ op }) => OPS[op]);
    this.nexts = Int32Array.from(steps, (step) => (step.op === "match" ? -1 : step.next));
    this.others = Int32Array.from(steps, (step) =>
      step.op === "fork" ? step.other : step.op === "set" ? step.set : -1,
    );
    // Once from the state, once through its assertions.
    this.reached = new Int32Array(steps.length * 2 + 1);
    this.waiting = new Int32Array(steps.length);
    this.alphabet = buildAlphabet([...program.sets, ...sides.map(({ set }) => set)]);
    this.width = Math.max(4, this.alphabet.size);
    this.sides = new Uint8Array(this.alphabet.size);
    this.sides[END_OF_LINE] = SIDE.edge;
    for (const [i, { bit }] of sides.entries()) {
      for (const letter of this.alphabet.members[program.sets.length + i]!) this.sides[letter]! |= bit;
    }
    this.afters = [...new Set(this.sides)];
    this.accepts = program.sets.map((_, i) => acceptance(this.alphabet.members[i]!, this.alphabet.size));
    this.marks = new Uint32Array(program.steps.length);
    // Each step is pushed by at most two others, and once as an item.
    this.stack = new Int32Array(program.steps.length * 3 + 2);
    this.table = new Int32Array(this.width * 16);
    const inside = new Set(this.sides.subarray(END_OF_LINE + 1));
    this.restarts = [...inside].some((side) => this.waitingAt(this.fromStart(), side).length > 0);
    this.forget();
  }

  /** The row (or MATCHED, DEAD) after `letter`; creates the state if needed. */
  step(row: number, letter: number): number {
    const known = this.table[row + letter]!;
    if (known !== UNKNOWN) return known;
    const from = this.states[row / this.width - 1]!;
    const to = this.follow(from, letter);
    // Creating the state may have cleared the table, including the old row.
    if (this.states[row / this.width - 1] === from) this.table[row + letter] = to;
    return to;
  }

  /** Follows the assertions that hold before the character, then the character. */
  private follow({ items, before }: State, letter: number): number {
    const { ops, nexts, others, stack, reached, accepts } = this;
    const after = this.sides[letter]!;
    let count = 0;
    let waiting = 0;
    // Nearly all steps wait for a character, and a state has each once.
    for (let i = 0; i < items.length; i++) {
      const at = items[i]!;
      if (ops[at] !== OPS.set) stack[waiting++] = at;
      else if (takes(accepts[others[at]!]!, letter)) reached[count++] = nexts[at]!;
    }
    this.work += items.length;
    if (waiting > 0) {
      count = this.through(waiting, { count, letter, before, after });
      if (count < 0) return MATCHED;
    }
    if (letter === END_OF_LINE) return this.start;
    reached[count++] = this.program.start;
    return this.rowOf(reached.subarray(0, count), after);
  }

  /** Follows the waiting assertions; negative: a match. */
  private through(
    waitingNow: number,
    { count: known, letter, before, after }: { count: number; letter: number; before: number; after: number },
  ): number {
    const { ops, nexts, others, marks, stack, reached, accepts } = this;
    const round = ++this.round;
    let count = known;
    let waiting = waitingNow;
    while (waiting > 0) {
      const at = stack[--waiting]!;
      if (marks[at] === round) continue;
      marks[at] = round;
      this.work++;
      const next = nexts[at]!;
      const op = ops[at];
      if (op === OPS.match) return -1;
      if (op === OPS.set) {
        if (takes(accepts[others[at]!]!, letter)) reached[count++] = next;
      } else if (op === OPS.assertion) {
        if (holds(this.assertionAt(at), before, after)) stack[waiting++] = next;
      } else {
        stack[waiting++] = others[at]!;
        stack[waiting++] = next;
      }
    }
    return count;
  }

  private assertionAt(at: number): Assertion {
    return (this.program.steps[at] as Extract<ProgramStep, { op: "assertion" }>).assertion;
  }

  private fromStart(): Int32Array {
    return Int32Array.of(this.program.start);
  }

  private rowOf(seeds: Int32Array, before: number): number {
    const items = this.waitingAt(seeds, before);
    if (items.length === 0 && !this.restarts) return DEAD;
    const hash = hashState(items, before);
    const same = this.rows.get(hash)?.find((row) => {
      const known = this.states[row / this.width - 1]!;
      return known.before === before && areEqual(known.items, items);
    });
    return same ?? this.add(hash, { items, before });
  }

  /** The steps that the seeds reach without a character, up to assertions, which depend on the next character. */
  private waitingAt(seeds: Int32Array, before: number): Int32Array {
    const { ops, nexts, others, marks, stack, waiting: items } = this;
    const round = ++this.round;
    let count = 0;
    let work = 0;
    for (let i = 0; i < seeds.length; i++) {
      let waiting = 0;
      stack[waiting++] = seeds[i]!;
      while (waiting > 0) {
        const at = stack[--waiting]!;
        if (marks[at] === round) continue;
        marks[at] = round;
        work++;
        const op = ops[at];
        if (op === OPS.fork) {
          if (marks[others[at]!] !== round) stack[waiting++] = others[at]!;
          if (marks[nexts[at]!] !== round) stack[waiting++] = nexts[at]!;
        } else if (op !== OPS.assertion || this.afters.some((after) => holds(this.assertionAt(at), before, after)))
          items[count++] = at;
      }
    }
    this.work += work;
    return ascending(items.slice(0, count));
  }

  private add(hash: number, state: State): number {
    const full = (this.states.length + 2) * this.width > MOST_ENTRIES || this.itemCount > MOST_ITEMS;
    if (full) this.forget();
    this.states.push(state);
    this.itemCount += state.items.length;
    const row = this.states.length * this.width;
    if (row + this.width > this.table.length) {
      const larger = new Int32Array(Math.max(this.table.length * 2, row + this.width));
      larger.set(this.table);
      this.table = larger;
    }
    const others = this.rows.get(hash);
    if (others === undefined) this.rows.set(hash, [row]);
    else others.push(row);
    return row;
  }

  private forget(): void {
    this.states = [];
    this.rows = new Map();
    this.itemCount = 0;
    this.table.fill(UNKNOWN);
    this.start = this.rowOf(this.fromStart(), SIDE.edge);
  }
}

/** FNV-1a by numbers instead of bytes: a pattern with thousands of steps has long states. */
function hashState(items: Int32Array, before: number): number {
  let hash = 0x811c9dc5 ^ before;
  for (let i = 0; i < items.length; i++) hash = Math.imul(hash ^ items[i]!, 0x01000193) ^ (hash >>> 15);
  return hash;
}

function areEqual(one: Int32Array, other: Int32Array): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

/** Most are in order already, and sorting would take most of the time. */
function ascending(items: Int32Array): Int32Array {
  for (let i = 1; i < items.length; i++) if (items[i]! < items[i - 1]!) return items.sort();
  return items;
}

/** A single letter, as for most sets, or a flag per letter. */
function acceptance(letters: Uint16Array, size: number): Uint8Array | number {
  if (letters.length === 1) return letters[0]!;
  const flags = new Uint8Array(size);
  for (const letter of letters) flags[letter] = 1;
  return flags;
}

function takes(of: Uint8Array | number, letter: number): boolean {
  return typeof of === "number" ? of === letter : of[letter] === 1;
}

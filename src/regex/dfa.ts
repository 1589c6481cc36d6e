/**
 * The program run on all its paths at once, one table look-up a character. States are made when text first needs them and
 * forgotten when there are too many, so memory is bounded and the time is linear in the text whatever the pattern.
 */
import { type Alphabet, assertionSets, buildAlphabet, END_OF_LINE, holds, SIDE } from "./alphabet.ts";
import type { Program, ProgramStep } from "./nfa.ts";
import type { Assertion } from "./syntax.ts";

/** Entries of the table below `FIRST` are no states. */
export const UNKNOWN = 0;
export const MATCHED = 1;
/** Nothing more can match in this line. */
export const DEAD = 2;

/** 8 MB of table, and about as much for what the states stand for. */
const MOST_ENTRIES = 1 << 21;
const MOST_ITEMS = 1 << 21;

const OPS = { set: 0, look: 1, fork: 2, match: 3 } as const;

interface State {
  /** Steps at which a path waits: sets, looks and the match. Ascending. */
  readonly items: Int32Array;
  /** What the character before is. */
  readonly before: number;
}

export class Dfa {
  readonly alphabet: Alphabet;
  /** Row `state`, column letter: the row of the next state, or one of the three numbers above. */
  table: Int32Array;
  /** Row of the state at the start of a line. */
  start = 0;
  /** Steps taken to make states: what a pattern cost beside its look-ups. */
  work = 0;
  private readonly program: Program;
  /** The program's steps by column: a hostile pattern walks through millions of them. */
  private readonly ops: Uint8Array;
  private readonly nexts: Int32Array;
  /** The other way of a fork, the set of a set. */
  private readonly others: Int32Array;
  private readonly width: number;
  private readonly sides: Uint8Array;
  private readonly afters: readonly number[];
  private readonly accepts: readonly (Uint8Array | number)[];
  private readonly marks: Uint32Array;
  private readonly stack: Int32Array;
  /** Steps that are reached or waited at, before it is known whether such a state is there already. */
  private readonly reached: Int32Array;
  private readonly waiting: Int32Array;
  private round = 0;
  private states: State[] = [];
  /** By the hash of what a state stands for: the rows of those that have it. */
  private rows = new Map<number, number[]>();
  private itemCount = 0;
  /** Whether a match may begin elsewhere than at the start of a line. */
  private readonly restarts: boolean;

  constructor(program: Program) {
    const sides = assertionSets(program.looks);
    this.program = program;
    const { steps } = program;
    this.ops = Uint8Array.from(steps, ({ op }) => OPS[op]);
    this.nexts = Int32Array.from(steps, (step) => (step.op === "match" ? -1 : step.next));
    this.others = Int32Array.from(steps, (step) =>
      step.op === "fork" ? step.other : step.op === "set" ? step.set : -1,
    );
    // Once from the state, once through its looks.
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
    // Each step is put there by at most two others, and once as an item.
    this.stack = new Int32Array(program.steps.length * 3 + 2);
    this.table = new Int32Array(this.width * 16);
    const inside = new Set(this.sides.subarray(END_OF_LINE + 1));
    this.restarts = [...inside].some((side) => this.waitingAt(this.fromStart(), side).length > 0);
    this.forget();
  }

  /** The row (or MATCHED, DEAD) that `letter` leads to from `row`, made now if need be. */
  step(row: number, letter: number): number {
    const known = this.table[row + letter]!;
    if (known !== UNKNOWN) return known;
    const from = this.states[row / this.width - 1]!;
    const to = this.follow(from, letter);
    // Making the state may have emptied the table; then the old row is gone.
    if (this.states[row / this.width - 1] === from) this.table[row + letter] = to;
    return to;
  }

  /** Through every place that holds between the two characters, then over the character. */
  private follow({ items, before }: State, letter: number): number {
    const { ops, nexts, others, stack, reached, accepts } = this;
    const after = this.sides[letter]!;
    let count = 0;
    let waiting = 0;
    // Nearly all of them wait for a character, and a state has each but once.
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

  /** What the waiting looks lead to; negative: the match. */
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
      } else if (op === OPS.look) {
        if (holds(this.lookAt(at), before, after)) stack[waiting++] = next;
      } else {
        stack[waiting++] = others[at]!;
        stack[waiting++] = next;
      }
    }
    return count;
  }

  private lookAt(at: number): Assertion {
    return (this.program.steps[at] as Extract<ProgramStep, { op: "look" }>).look;
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

  /** Everything that the seeds lead to without a character, up to looks, which only the next character decides. */
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
        } else if (op !== OPS.look || this.afters.some((after) => holds(this.lookAt(at), before, after)))
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

/** FNV-1a, a number at a time: a pattern with thousands of steps makes long states. */
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

/** Most come in order: then sorting would be the larger part of making a state. */
function ascending(items: Int32Array): Int32Array {
  for (let i = 1; i < items.length; i++) if (items[i]! < items[i - 1]!) return items.sort();
  return items;
}

/** A single letter, as most sets are, or a flag for each letter. */
function acceptance(letters: Uint16Array, size: number): Uint8Array | number {
  if (letters.length === 1) return letters[0]!;
  const flags = new Uint8Array(size);
  for (const letter of letters) flags[letter] = 1;
  return flags;
}

function takes(of: Uint8Array | number, letter: number): boolean {
  return typeof of === "number" ? of === letter : of[letter] === 1;
}

/** A line diff of two texts with a few lines of context: Myers' algorithm with bounded work. */

/** Lines shown around a change. */
const CONTEXT = 2;
/** Texts that differ in more lines are shown one after the other. */
const MOST_EDITS = 600;

const GAP = "@@";

type DiffLine = { readonly sign: " " | "-" | "+"; readonly text: string };

/** Each line after its sign; `@@` in place of omitted lines. Empty for equal texts. */
export function lineDiff(before: string, after: string): string {
  if (before === after) return "";
  const [a, b] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const lines = edits(a, b) ?? [...a.map(minus), ...b.map(plus)];
  return shortened(lines).join("\n");
}

const minus = (text: string): DiffLine => ({ sign: "-", text });
const plus = (text: string): DiffLine => ({ sign: "+", text });

function shortened(lines: readonly DiffLine[]): string[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((it) => it.sign !== " "),
  );
  const out: string[] = [];
  for (const [at, { sign, text }] of lines.entries()) {
    if (near[at]) out.push(`${sign}${text}`);
    else if (out.length === 0 || out.at(-1) !== GAP) out.push(GAP);
  }
  return out.at(-1) === GAP ? out.slice(0, -1) : out;
}

/** Undefined when they differ too much. */
function edits(a: readonly string[], b: readonly string[]): DiffLine[] | undefined {
  const trace: Int32Array[] = [];
  const most = Math.min(a.length + b.length, MOST_EDITS);
  const offset = most + 1;
  const furthest = new Int32Array(2 * most + 3);
  for (let d = 0; d <= most; d++) {
    trace.push(furthest.slice());
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && furthest[offset + k - 1]! < furthest[offset + k + 1]!);
      let x = down ? furthest[offset + k + 1]! : furthest[offset + k - 1]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[offset + k] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, trace, offset);
    }
  }
  return undefined;
}

function walkBack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly Int32Array[],
  offset: number,
): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d >= 0; d--) {
    const furthest = trace[d]!;
    const k = x - y;
    const down = k === -d || (k !== d && furthest[offset + k - 1]! < furthest[offset + k + 1]!);
    const from = d === 0 ? 0 : furthest[offset + (down ? k + 1 : k - 1)]!;
    const fromY = from - (down ? k + 1 : k - 1);
    const [stopX, stopY] = d === 0 ? [0, 0] : down ? [from, fromY + 1] : [from + 1, fromY];
    while (x > stopX && y > stopY) {
      lines.push({ sign: " ", text: a[--x]! });
      y--;
    }
    if (d > 0) lines.push(down ? plus(b[--y]!) : minus(a[--x]!));
  }
  return lines.reverse();
}

/** Cosines differ in height from model to model; a score of 0.6 means "more likely about the question than not" with each. */

/** Steps above the model's cut, measured with the built-in model: 0.7 and 0.8 are focused, 0.9 is hardly ever wrong. */
const STEPS = [
  [0, 0.6],
  [0.1, 0.7],
  [0.2, 0.8],
  [0.35, 0.92],
] as const;
/** A cosine of 0: nothing in common. */
const UNRELATED = 0.1;

/** Grows strictly from 0 to 1. Without a measured cut the cosine itself is the score. */
export function calibrated(likeness: number, cut: number | undefined): number {
  return between(likeness, cut === undefined ? AS_IT_IS : pointsOf(cut));
}

/** The likeness that has this score. */
export function likenessAt(score: number, cut: number | undefined): number {
  const points = cut === undefined ? AS_IT_IS : pointsOf(cut);
  return between(
    score,
    points.map(([x, y]) => [y, x] as const),
  );
}

type Points = readonly (readonly [number, number])[];

const AS_IT_IS: Points = [
  [-1, 0],
  [0, 0.001],
  [1, 1],
];

function pointsOf(cut: number): Points {
  const above = STEPS.map(([step, score]) => [cut + step, score] as const).filter(([likeness]) => likeness < 1);
  return [[-1, 0], [0, UNRELATED], ...above, [1, 1]];
}

function between(x: number, points: Points): number {
  const last = points.length - 1;
  if (x <= points[0]![0]) return points[0]![1];
  const at = points.findIndex(([px]) => x <= px);
  if (at < 0) return points[last]![1];
  const [[x0, y0], [x1, y1]] = [points[at - 1]!, points[at]!];
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
}

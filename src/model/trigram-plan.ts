/** Which files a pattern can match in, as far as three neighbouring characters tell: a condition on the trigrams of a file. */
export type TrigramPlan =
  | { readonly op: "any" }
  | { readonly op: "has"; readonly trigram: number }
  | { readonly op: "and" | "or"; readonly parts: readonly TrigramPlan[] };

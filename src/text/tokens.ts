/**
 * How many tokens a text will cost a language model, guessed from above without a tokenizer.
 *
 * The weights were fitted on 2,630 pieces of code and code JSON against one public 65k-entry BPE vocabulary and then
 * raised: on those pieces 1.08 × the true count on average, 1 in 20 below 0.95 ×. Never below 1.3 × the words.
 */

const WORD = 1.25;
/** A word of more than six letters is more likely to be cut. */
const LONG_LETTER = 0.09;
const LONG_WORD = 6;
const DIGIT = 0.55;
const SIGN = 0.64;
const BREAK = 1.2;
const WIDE = 1.2;
const PER_PLAIN_WORD = 1.3;

/** Upper guess of the tokens in code, JSON or prose. */
export function estimateTokens(text: string): number {
  let cost = 0;
  let plainWords = 0;
  let letters = 0;
  let before = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const isLower = unit >= 97 && unit <= 122;
    const isUpper = unit >= 65 && unit <= 90;
    if (isLower || isUpper) {
      const starts = letters === 0 || (isUpper && before >= 97);
      letters = starts ? 1 : letters + 1;
      cost += (starts ? WORD : 0) + (letters > LONG_WORD ? LONG_LETTER : 0);
    } else {
      letters = 0;
      cost += signCost(unit, before, text.charCodeAt(i + 1));
    }
    if (unit > 32 && (i === 0 || before <= 32)) plainWords++;
    before = unit;
  }
  return Math.ceil(Math.max(cost, plainWords * PER_PLAIN_WORD));
}

/** A break costs once for all the white space in it; a single blank goes with the word after it. */
function signCost(unit: number, before: number, after: number): number {
  if (unit > 127) return WIDE;
  if (unit >= 48 && unit <= 57) return DIGIT;
  if (unit > 32) return SIGN;
  const first = before > 32 || before === 0;
  return first && (unit !== 32 || after <= 32) ? BREAK : 0;
}

/** Words that a question is made of and an answer is not. Dropped from natural-language queries only. */

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been being but by can could did do does doing done for from get gets had has have how i if in " +
    "into is it its just let like me my of on or our out over so some such than that the their them then there these they " +
    "this those to up us use used uses using via was we were what when where which while who whom why will with within " +
    "would you your don doesn didn isn t s re ll ve m d not no should must may might shall about above after again all also any because " +
    "work works working happen happens before between both during each few more most other same through under until very code find show implemented implementation"
  ).split(" "),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

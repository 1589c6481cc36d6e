/** What one installation changed in a file, so that it can be taken back exactly, also after others edited around it. */
export interface TextEdit {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The one stretch in which two texts differ. */
export function editBetween(before: string, after: string): TextEdit {
  const shortest = Math.min(before.length, after.length);
  let at = 0;
  while (at < shortest && before[at] === after[at]) at++;
  let tail = 0;
  while (tail < shortest - at && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return {
    at,
    removed: before.slice(at, before.length - tail),
    inserted: after.slice(at, after.length - tail),
  };
}

/** The text as it was before the edit; undefined where what was inserted is no longer there as it was. */
export function revertEdit(text: string, { at, removed, inserted }: TextEdit): string | undefined {
  if (inserted === "") return undefined;
  const place = text.startsWith(inserted, at) ? at : onlyPlace(text, inserted);
  if (place === undefined) return undefined;
  return text.slice(0, place) + removed + text.slice(place + inserted.length);
}

function onlyPlace(text: string, part: string): number | undefined {
  const first = text.indexOf(part);
  return first >= 0 && text.indexOf(part, first + 1) < 0 ? first : undefined;
}

/** How many cells of a terminal a text takes: ideographs and emoji take two, combining marks none. */

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NONE = /\p{M}|[\u200b-\u200d]/u;

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += cells(character);
  return width;
}

/** Cut to the cells, with an ellipsis where something was cut. */
export function cutToWidth(text: string, most: number): string {
  // Every character takes at most two cells.
  if (text.length * 2 <= most || displayWidth(text) <= most) return text;
  let out = "";
  let width = 0;
  for (const character of text) {
    width += cells(character);
    if (width > most - 1) break;
    out += character;
  }
  return `${out}…`;
}

export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

function cells(character: string): number {
  if (character < "\u0300") return 1;
  return WIDE.test(character) ? 2 : NONE.test(character) ? 0 : 1;
}

/** JSON and text in which invisible characters are escaped. */

/** Invisible and direction-changing characters, which could make one name look like another. */
const UNSEEN =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** Compact JSON of a value, with unseen characters as escapes; it parses to the same value. */
export function compactJson(value: unknown): string {
  return visible(JSON.stringify(value));
}

/** JSON text with unseen characters as escapes. */
export function visible(json: string): string {
  return json.replace(UNSEEN, escaped);
}

/** Text with control and unseen characters as escapes, but for tabs and line feeds. */
export function visibleText(text: string): string {
  return visible(text.replace(/[\0-\x08\x0b-\x1f]/g, escaped));
}

/** Each UTF-16 unit as JSON escapes it. */
export function escaped(sign: string): string {
  return Array.from({ length: sign.length }, (_, i) => `\\u${sign.charCodeAt(i).toString(16).padStart(4, "0")}`).join(
    "",
  );
}

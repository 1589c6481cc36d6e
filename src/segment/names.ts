/** Keys of the name dictionary: folded name first, so that exact, folded and prefix look-ups are all ranges of it. */

/** Between the folded and the exact spelling; sorts before every character of a name. */
const SEPARATOR = "\0";

export function nameKey(name: string): string {
  const folded = fold(name);
  // Most names fold to themselves; spelling them once saves a third of the dictionary.
  return folded + SEPARATOR + (folded === name ? "" : name);
}

export function foldedKey(name: string): string {
  return fold(name) + SEPARATOR;
}

export function prefixKey(prefix: string): string {
  return fold(prefix);
}

export function nameOfKey(key: string): string {
  const cut = key.indexOf(SEPARATOR);
  return key.slice(cut + 1) || key.slice(0, cut);
}

function fold(name: string): string {
  return name.replaceAll(SEPARATOR, "").toLowerCase();
}

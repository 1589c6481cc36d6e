/**
 * Adds our entry to a configuration file's text, or removes it. Every result is parsed again: it must have the
 * intended entry and be unchanged everywhere else, or the edit is refused.
 */
import { put as putJson, read as readJson, remove as removeFromJson } from "./jsonc.ts";
import { put as putToml, read as readToml, remove as removeFromToml } from "./toml.ts";
import { at, isObject, type Path, same, sameElsewhere } from "./value.ts";

export interface ConfigTarget {
  readonly format: "json" | "toml";
  /** Keys of our entry. */
  readonly path: Path;
}

/** What has to be known to take an installation back. */
export interface Added {
  /** Absent if the file was changed in between and only its structure can be edited. */
  readonly edit?: TextEdit;
  /** The entry that was there before, where there was one. */
  readonly previous?: unknown;
  /** How many objects on the path were there before. */
  readonly depth: number;
}

const FORMATS = {
  json: { read: readJson, put: putJson, remove: removeFromJson },
  toml: { read: readToml, put: putToml, remove: removeFromToml },
};

type ConfigEntry = Readonly<Record<string, unknown>>;

export function parsed(text: string, { format }: ConfigTarget): unknown {
  return FORMATS[format].read(text);
}

/** The text with the entry; unchanged if it already has it. */
export function withEntry(text: string, target: ConfigTarget, entry: ConfigEntry): string {
  const before = parsed(text, target);
  const present = at(before, target.path);
  const news = isObject(present)
    ? Object.entries(entry).filter(([key, value]) => !same(present[key], value))
    : undefined;
  if (news?.length === 0) return text;
  const { put } = FORMATS[target.format];
  const after = put(text, target.path, news ? Object.fromEntries(news) : entry);
  const meant = isObject(present) ? { ...present, ...entry } : entry;
  checkResult(
    after,
    target,
    (value) => same(at(value, target.path), meant) && sameElsewhere(before, value, target.path),
  );
  return after;
}

export function addedBy(before: string, after: string, target: ConfigTarget): Added {
  const value = parsed(before, target);
  const previous = at(value, target.path);
  const depth = target.path.findIndex((_, index) => !isObject(at(value, target.path.slice(0, index + 1))));
  return {
    edit: editBetween(before, after),
    ...(previous !== undefined && { previous }),
    depth: depth < 0 ? target.path.length : depth,
  };
}

/** The text as if it had never been installed; without knowledge of the installation only the entry goes. */
export function withoutEntry(text: string, target: ConfigTarget, added: Added | undefined): string {
  const restored = added?.edit && revertEdit(text, added.edit);
  if (restored !== undefined && isRestored(text, restored, target, added!)) return restored;
  return withoutStructure(text, target, added);
}

function withoutStructure(text: string, target: ConfigTarget, added: Added | undefined): string {
  const { put, remove } = FORMATS[target.format];
  const before = parsed(text, target);
  const previous = added?.previous;
  let after = remove(text, target.path);
  if (isObject(previous)) after = put(after, target.path, previous);
  // TOML has no empty objects to leave behind: a table's parents exist by its name only.
  const shallowest = target.format === "json" && added ? added.depth : target.path.length - 1;
  for (let depth = target.path.length - 1; depth > shallowest; depth--) {
    const inner = at(parsed(after, target), target.path.slice(0, depth));
    if (!isObject(inner) || Object.keys(inner).length > 0) break;
    after = remove(after, target.path.slice(0, depth));
  }
  checkResult(
    after,
    target,
    (value) => same(at(value, target.path), previous) && sameElsewhere(before, value, target.path),
  );
  return after;
}

function isRestored(text: string, restored: string, target: ConfigTarget, added: Added): boolean {
  try {
    const value = restored === "" ? {} : parsed(restored, target);
    return same(at(value, target.path), added.previous) && sameElsewhere(parsed(text, target), value, target.path);
  } catch {
    return false;
  }
}

function checkResult(text: string, target: ConfigTarget, isMeant: (value: unknown) => boolean): void {
  let value: unknown;
  try {
    value = parsed(text, target);
  } catch (cause) {
    throw new Error(UNUSUAL, { cause });
  }
  if (!isMeant(value)) throw new Error(UNUSUAL);
}

const UNUSUAL = "its servers are written in a form that cannot be edited without touching the rest";

/** What an installation changed in a file, so that it can be reverted exactly, even after edits elsewhere. */
interface TextEdit {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The one stretch in which two texts differ. */
function editBetween(before: string, after: string): TextEdit {
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
function revertEdit(text: string, { at, removed, inserted }: TextEdit): string | undefined {
  if (inserted === "") return undefined;
  const place = text.startsWith(inserted, at) ? at : onlyPlace(text, inserted);
  if (place === undefined) return undefined;
  return text.slice(0, place) + removed + text.slice(place + inserted.length);
}

function onlyPlace(text: string, part: string): number | undefined {
  const first = text.indexOf(part);
  return first >= 0 && text.indexOf(part, first + 1) < 0 ? first : undefined;
}

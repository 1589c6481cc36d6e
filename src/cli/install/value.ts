/** Configuration files as values: access by a path of keys, and comparison. */
export type Path = readonly string[];

export function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Equal in what a file can hold; the two formats' parsers make objects of different kinds. */
export function same(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => same(item, other[index]));
  }
  if (one instanceof Date && other instanceof Date) return String(one) === String(other);
  if (!isObject(one) || !isObject(other)) return Object.is(one, other);
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => key in other && same(one[key], other[key]));
}

/** Whether two files are equal except at the path and for objects that contain nothing else. */
export function sameElsewhere(one: unknown, other: unknown, path: Path): boolean {
  return same(without(one, path), without(other, path));
}

function without(value: unknown, [key, ...inner]: Path): unknown {
  if (key === undefined || (isObject(value) && Object.keys(value).length === 0)) return undefined;
  if (!isObject(value) || !(key in value)) return value;
  const { [key]: child, ...rest } = value;
  const left = without(child, inner);
  if (left !== undefined) return { ...rest, [key]: left };
  return Object.keys(rest).length > 0 ? rest : undefined;
}

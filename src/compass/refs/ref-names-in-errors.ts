/** Refusals that name a ref as whoever asks calls it: in the store its view goes by a name of its own. */
import { CompassError } from "../../model/errors.ts";

export interface Names {
  readonly view: string;
  readonly ref: string;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the methods take and give is handed through
type Methods = Readonly<Record<string, (...args: any[]) => Promise<unknown>>>;

/** The same methods; what they throw about the view speaks of the ref. */
export function withCallersRefName<T extends { readonly [K in keyof T]: Methods[string] }>(
  methods: T,
  names: Names,
): T {
  if (names.view === names.ref) return methods;
  const renamed = Object.entries(methods as Methods).map(([name, method]) => {
    return [name, (...args: unknown[]) => method(...args).catch((error: unknown) => refuse(error, names))];
  });
  return Object.fromEntries(renamed) as T;
}

function refuse(error: unknown, { view, ref }: Names): never {
  if (!(error instanceof CompassError) || error.data.ref !== view) throw error;
  throw new CompassError(error.code, { ...error.data, ref }, { cause: error });
}

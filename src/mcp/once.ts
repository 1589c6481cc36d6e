/** A value made by the first caller and shared by the others; one that could not be made is tried again. */
export function onceUnlessFailed<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= (async () => make())().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

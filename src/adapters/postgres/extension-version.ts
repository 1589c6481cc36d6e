/** Releases of extensions. */
export type Release = readonly [major: number, minor: number];

/** Whatever follows the first two numbers. */
export function isFrom([major, minor]: Release, version: string): boolean {
  const [ofMajor = 0, ofMinor = 0] = version.split(".").map(Number.parseFloat);
  return ofMajor > major || (ofMajor === major && ofMinor >= minor);
}

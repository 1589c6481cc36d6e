/** The package's name and version, from the one place that states them. */
import { readFileSync } from "node:fs";

export const version = (): string => manifest().version;

/** As npm knows it; the command is called `codecompass`. */
export const packageName = (): string => manifest().name;

function manifest(): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
}

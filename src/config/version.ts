/** The product's version, from the one place that states it. */
import { readFileSync } from "node:fs";

export function version(): string {
  const manifest = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

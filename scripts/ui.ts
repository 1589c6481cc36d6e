/** Bundles the page for people into `dist/ui`: one script, one style sheet, no request to any other server. */
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";

const source = join(dirname(import.meta.dirname), "ui");

export async function bundleUi(dist: string): Promise<void> {
  const target = join(dist, "ui");
  mkdirSync(target, { recursive: true });
  const build = await rolldown({
    input: join(source, "main.tsx"),
    platform: "browser",
  });
  await build.write({ file: join(target, "app.js"), format: "esm", minify: true, codeSplitting: false });
  await build.close();
  for (const file of ["index.html", "app.css", "icon.svg"]) copyFileSync(join(source, file), join(target, file));
}

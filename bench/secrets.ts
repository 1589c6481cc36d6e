/**
 * What the protection of secrets costs ordinary repositories, and what it keeps out of a benchmark of secret scanners:
 * `node bench/secrets.ts CLONE...` counts the files of each clone's HEAD that are skipped by name and those with masked text.
 * `--paths` lists the skipped, `--rest` the others of a repository that holds nothing but secrets.
 */
import { execFileSync } from "node:child_process";
import { isSecretPath } from "../src/ingest/secret-names.ts";
import { maskSecrets } from "../src/text/mask-secrets.ts";

const MOST_BYTES = 1 << 30;
const AT_ONCE = 500;
const [flags, clones] = [true, false].map((isFlag) =>
  process.argv.slice(2).filter((word) => word.startsWith("--") === isFlag),
);

const total = { files: 0, skipped: 0, masked: 0 };
for (const clone of clones!) {
  const git = (args: string[], input = "") =>
    execFileSync("git", ["-C", clone, ...args], { input, maxBuffer: MOST_BYTES });
  const entries = git(["ls-tree", "-rz", "HEAD"]).toString("utf8").split("\0");
  const files = entries.flatMap((entry) => {
    const [, blob, path] = /^100\d+ blob (\w+)\t(.*)$/s.exec(entry) ?? [];
    return path === undefined ? [] : [{ path, blob: blob! }];
  });
  const skipped = files.filter(({ path }) => isSecretPath(path));
  const others = files.filter(({ path }) => !isSecretPath(path));
  const masked: string[] = [];
  for (let at = 0; at < others.length; at += AT_ONCE) {
    const some = others.slice(at, at + AT_ONCE);
    let bytes = git(["cat-file", "--batch"], some.map(({ blob }) => `${blob}\n`).join(""));
    for (const { path } of some) {
      const head = bytes.indexOf(10);
      const end = head + 1 + Number(bytes.toString("latin1", 0, head).split(" ")[2]);
      const text = bytes.subarray(head + 1, end);
      bytes = bytes.subarray(end + 1);
      if (!text.includes(0) && maskSecrets(text.toString("utf8")) !== text.toString("utf8")) masked.push(path);
    }
  }
  const counts = { files: files.length, skipped: skipped.length, masked: masked.length };
  for (const key of ["files", "skipped", "masked"] as const) total[key] += counts[key];
  console.log(`${clone}: ${counts.files} files, ${counts.skipped} skipped, ${counts.masked} masked`);
  if (flags!.includes("--paths")) for (const { path } of skipped) console.log(`  skipped ${path}`);
  if (flags!.includes("--rest"))
    for (const { path } of others) console.log(`  ${masked.includes(path) ? "masked" : "whole"} ${path}`);
}
const share = (100 * (total.skipped + total.masked)) / total.files;
console.log(
  `${total.files} files: ${total.skipped} skipped, ${total.masked} with masked text, ${share.toFixed(2)} % affected`,
);

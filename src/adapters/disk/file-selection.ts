/** The disk walker's rules, for a walker of other trees: a commit is chosen from as a checkout of it would be. */
import { Buffer } from "node:buffer";
import type { FileSelection } from "../../ports/files.ts";
import { VCS_DIRECTORIES } from "./built-in-rules.ts";
import { decodeName } from "./file-names.ts";
import { rootRules, ruleTexts } from "./ignore-rules.ts";
import { selectPaths } from "./path-restriction.ts";
import { tooLong } from "./paths.ts";

export const diskSelection: FileSelection = {
  rules: (root, options, texts) => rootRules(ruleTexts(root, options, texts.above), texts.inside, options),
  select: selectPaths,
  nameOf: (bytes) => decodeName(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
  isVcsName: (name) => VCS_DIRECTORIES.has(name),
  isTooLong: tooLong,
};

/** What a file's text says: a private key, a file that a program wrote, or one that no person can read. */
import type { SkipReason } from "../model/code.ts";
import type { SecretSettings } from "./classify-path.ts";

interface Content {
  readonly path: string;
  readonly text: string;
  readonly lineCount: number;
}

export function classifyText({ path, text, lineCount }: Content, settings: SecretSettings): SkipReason | undefined {
  if (!settings.includeSecrets && holdsSecret(path, text)) return "secret";
  if (isMinified(path, text.length, lineCount)) return "minified";
  if (saysGenerated(text)) return "generated";
  return undefined;
}

/** A key with its body: source that merely names the marker is no secret. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n|["'+,])*(?:[A-Za-z-]+: [^\n]*\n\s*)*[A-Za-z0-9+/=]{40}/;
const REGISTRY_TOKEN = /^\s*(?:\S*:)?_(?:authToken|auth|password)\s*=\s*(?!\$\{)\S/m;

function holdsSecret(path: string, text: string): boolean {
  if (text.includes("PRIVATE KEY") && PRIVATE_KEY.test(text)) return true;
  return /(?:^|\/)\.(?:npmrc|yarnrc)$/.test(path) && REGISTRY_TOKEN.test(text);
}

/** Average line lengths that people do not write. Style sheets and scripts are minified more gently than data. */
const SCRIPT_LINE = 250;
const ANY_LINE = 1_000;
const SMALLEST_MINIFIED = 4_096;

function isMinified(path: string, length: number, lineCount: number): boolean {
  if (length < SMALLEST_MINIFIED) return false;
  const limit = /\.(?:[cm]?js|css)$/i.test(path) ? SCRIPT_LINE : ANY_LINE;
  return length / Math.max(1, lineCount) > limit;
}

const HEAD_LINES = 15;
const HEAD_UNITS = 2_000;
const COMMENT = /^\s*(?:\/[/*]|[#*;%]|--|<!--|"""|'''|\{-|\(\*|rem\b)/i;
const MARKER =
  /@generated\b|<auto-?generated|\b(?:auto-?)?generated\b.*\bdo not (?:edit|modify|change)\b|\bdo not (?:edit|modify|change)\b.*\bgenerated\b/i;

/** Only comments in the head count: a program that looks for the marker is not generated. */
function saysGenerated(text: string): boolean {
  const head = text.slice(0, HEAD_UNITS);
  if (!/generated/i.test(head)) return false;
  return head.split("\n", HEAD_LINES).some((line) => COMMENT.test(line) && MARKER.test(line));
}

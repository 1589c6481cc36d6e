/** The findings of `review`: for a person, and as SARIF 2.1.0, the form in which code scanning reads them. */
import type { ComparedRefs } from "../../model/changes.ts";
import type { Kind } from "../../model/kinds.ts";
import type { CallSite } from "../../model/navigation.ts";
import { printable, type Style } from "../../tools/text/style.ts";

export const RULES = {
  "removed-public": { level: "error", help: "A public symbol is gone. Every use of it breaks." },
  "changed-public": {
    level: "warning",
    help: "The signature of a public symbol changed. Its users may have to follow.",
  },
  untested: { level: "note", help: "No test uses this public function or class that was added or changed." },
} as const;
export type RuleName = keyof typeof RULES;

export interface ReviewFinding {
  readonly rule: RuleName;
  readonly kind: Kind;
  /** Qualified. */
  readonly symbol: string;
  readonly message: string;
  readonly path: string;
  readonly line: number;
  /** Uses in the tree after the change, other files first. */
  readonly uses: readonly CallSite[];
}

export interface Review extends ComparedRefs {
  readonly findings: readonly ReviewFinding[];
  /** What could not be checked. */
  readonly warnings: readonly string[];
}

export function plainText({ findings, warnings }: Review, style: Style): string {
  if (findings.length === 0) {
    if (warnings.length > 0) return "No findings, but not everything could be checked.\n";
    return "No public symbol was removed, changed or left without a test.\n";
  }
  const paint = { error: style.bad, warning: style.warn, note: style.dim };
  const lines = findings.flatMap(({ rule, path, line, message, uses }) => [
    `${style.path(printable(path))}:${style.line(String(line))}  ${paint[RULES[rule].level](rule)}  ${printable(message)}`,
    ...uses.slice(0, MOST_USES).map((use) => `    ${printable(`${use.path}:${use.line}  ${use.context}`)}`),
    ...(uses.length > MOST_USES ? [`    … and ${uses.length - MOST_USES} more`] : []),
  ]);
  return `${lines.join("\n")}\n`;
}

/** Uses listed with a finding. */
const MOST_USES = 5;

export function sarif({ findings, warnings }: Review, version: string) {
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "codecompass",
            version,
            informationUri: "https://github.com/codecompass/codecompass",
            rules: Object.entries(RULES).map(([id, { level, help }]) => ({
              id,
              shortDescription: { text: help },
              defaultConfiguration: { level },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { ROOT: { description: { text: "The root of the repository" } } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: warnings.map((text) => ({ level: "warning", message: { text } })),
          },
        ],
        results: findings.map(result),
      },
    ],
  };
}

function result({ rule, message, path, line, uses, symbol }: ReviewFinding) {
  return {
    ruleId: rule,
    level: RULES[rule].level,
    message: { text: message },
    locations: [location(path, line)],
    relatedLocations: uses.map((use, id) => ({ id, ...location(use.path, use.line), message: { text: use.context } })),
    // The same finding keeps its identity when lines above it move.
    partialFingerprints: { "symbol/v1": `${rule}:${symbol}` },
  };
}

function location(path: string, line: number) {
  return {
    physicalLocation: {
      artifactLocation: { uri: path.split("/").map(encodeURIComponent).join("/"), uriBaseId: "ROOT" },
      region: { startLine: line },
    },
  };
}

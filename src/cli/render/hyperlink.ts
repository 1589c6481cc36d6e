/** Links that a terminal opens (OSC 8), with the format strings of ripgrep's `--hyperlink-format`. */
import { hostname } from "node:os";
import { CompassError } from "../../model/errors.ts";

const FORMATS: Readonly<Record<string, string>> = {
  none: "",
  default: "file://{host}{path}#{line}",
  file: "file://{host}{path}",
  cursor: "cursor://file{path}:{line}:{column}",
  kitty: "file://{host}{path}#{line}",
  macvim: "mvim://open?url=file://{path}&line={line}&column={column}",
  textmate: "txmt://open?url=file://{path}&line={line}&column={column}",
  vscode: "vscode://file{path}:{line}:{column}",
  "vscode-insiders": "vscode-insiders://file{path}:{line}:{column}",
  vscodium: "vscodium://file{path}:{line}:{column}",
};

/** Absolute path and 1-based line. */
export type Link = (text: string, path: string, line: number) => string;

const VARIABLE = /\{(\w*)\}/g;
const VARIABLES = ["host", "path", "line", "column", "wslprefix"];

/** Undefined: no links. Throws `invalid_input` for a format that ripgrep would refuse. */
export function hyperlinks(format: string): Link | undefined {
  const pattern = FORMATS[format] ?? format;
  if (pattern === "") return undefined;
  const unknown = [...pattern.matchAll(VARIABLE)].find(([, name]) => !VARIABLES.includes(name!));
  const isAddress = /^[a-z][a-z0-9+.-]*:/i.test(pattern) && pattern.includes("{path}");
  if (!isAddress || unknown !== undefined) {
    const why = unknown === undefined ? "an address with {path}" : `{${VARIABLES.join("}, {")}}, not ${unknown[0]}`;
    const reason = `--hyperlink-format is ${format}; allowed: ${Object.keys(FORMATS).join(", ")}, or ${why}`;
    throw new CompassError("invalid_input", { reason });
  }
  const host = hostname();
  return (text, path, line) => {
    const values: Readonly<Record<string, string>> = { host, path: encodedPath(path), line: String(line), column: "1" };
    const address = pattern.replace(VARIABLE, (_, name: string) => values[name] ?? "");
    return `\x1b]8;;${address}\x1b\\${text}\x1b]8;;\x1b\\`;
  };
}

function encodedPath(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  return (slashed.startsWith("/") ? slashed : `/${slashed}`).split("/").map(encodeURIComponent).join("/");
}

/**
 * The cells of a Jupyter notebook as a program in the kernel's language. Every line stays on its line of the JSON, so that
 * positions need no mapping; outputs, images and metadata become empty lines. Reads the JSON line by line, as Jupyter writes
 * it: a notebook in a single line stays JSON.
 */

interface NotebookSource {
  /** The kernel's language, as the notebook spells it. */
  readonly language: string;
  readonly text: string;
}

type CellKind = "code" | "markdown" | "raw";

/** A cell while its lines are read; its kind may follow its source. */
interface Cell {
  kind?: CellKind;
  /** Where its number is written. */
  line: number;
  readonly lines: (readonly [line: number, text: string])[];
}

/** Of a line, for finding keys; sources and outputs may be long. */
const HEAD = 200;
const KEY = /^(\s*)"(cell_type|source|outputs|execution_count|id|metadata|attachments)":\s*(.*)$/;
/** Of the end of a notebook, which names the kernel. */
const TAIL = 4_000;

export function notebookSource(json: string): NotebookSource | undefined {
  if (!/^\s*\{\s*"(?:cells|metadata|nbformat)"/.test(json.slice(0, HEAD))) return undefined;
  const language = kernelLanguage(json);
  const comment = HASH_COMMENTS.has(language) ? "#" : "//";
  const written: string[] = [];
  let cells = 0;
  let cell: Cell = { line: 0, lines: [] };
  let indent: string | undefined;
  let isSource = false;
  let line = 0;
  const put = (at: number, text: string) => {
    while (written.length <= at) written.push("");
    written[at] = text;
  };
  const finish = () => {
    if (cell.kind === undefined) return;
    put(cell.line, `${comment} %% cell ${++cells}${cell.kind === "code" ? "" : ` [${cell.kind}]`}`);
    for (const [at, text] of cell.lines)
      put(at, cell.kind === "code" ? codeLine(text, comment) : `${comment} ${text}`.trimEnd());
    cell = { line: 0, lines: [] };
  };
  for (let start = 0; start < json.length; line++) {
    const newline = json.indexOf("\n", start);
    const end = newline < 0 ? json.length : newline;
    const key = KEY.exec(json.slice(start, Math.min(end, start + HEAD)));
    if (key?.[2] === "cell_type" && (indent === undefined || key[1] === indent)) {
      if (cell.kind !== undefined) finish();
      indent = key[1]!;
      cell.kind = /"(code|markdown|raw)"/.exec(key[3]!)?.[1] as CellKind;
      cell.line = line;
      isSource = false;
    } else if (key && key[1] === indent) {
      isSource = key[2] === "source";
      const only = isSource ? jsonString(json.slice(start + key[0].length - key[3]!.length, end)) : undefined;
      if (only !== undefined) cell.lines.push([line, only]);
    } else if (isSource) {
      const text = jsonString(json.slice(start, end));
      if (text === undefined) isSource = false;
      else cell.lines.push([line, text]);
    }
    start = end + 1;
  }
  finish();
  if (cells === 0) return undefined;
  while (written.length < line) written.push("");
  return { language, text: `${written.join("\n")}\n` };
}

/** The string of a line `"…\n",`, up to its newline. */
function jsonString(line: string): string | undefined {
  const written = line.trim().replace(/,$/, "");
  if (!written.startsWith('"')) return undefined;
  try {
    const text: unknown = JSON.parse(written);
    return typeof text === "string" ? text.split("\n", 1)[0] : undefined;
  } catch {
    return undefined;
  }
}

/** Magics and shell commands are no code of the kernel's language. */
function codeLine(text: string, comment: string): string {
  return /^\s*[%!?]/.test(text) ? `${comment} ${text}` : text;
}

const HASH_COMMENTS: ReadonlySet<string> = new Set(["python", "julia", "r", "ruby", "bash", "perl"]);

function kernelLanguage(json: string): string {
  const tail = json.slice(-TAIL);
  const info = tail.slice(Math.max(0, tail.lastIndexOf('"language_info"')));
  const flat = info.slice(info.indexOf("{") + 1).replace(/\{[^{}]*\}/g, "");
  const named = /"name":\s*"([^"]+)"/.exec(flat)?.[1] ?? /"language":\s*"([^"]+)"/.exec(tail)?.[1];
  return named?.toLowerCase() ?? "python";
}

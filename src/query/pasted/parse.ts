/** Reads pasted text line by line: which places in code it names, and which error messages it holds. Pure, linear time. */
import { readHunks } from "./diff.ts";
import type { PastedEvidence, PastedFrame } from "./frame.ts";
import { type LineFrame, readFrameLine } from "./frame-lines.ts";
import { parseLocation } from "./location.ts";
import { readMessage } from "./message.ts";

/** Longer text and lines are cut, which bounds the work. */
const MAX_TEXT = 1 << 17;
const MAX_LINE = 1000;
const MAX_FRAMES = 500;
const MAX_MESSAGES = 8;

export function parsePasted(text: string): PastedEvidence {
  const lines = text.slice(0, MAX_TEXT).split("\n").map(plainLine);
  const reader = new TraceReader(lines);
  reader.read();
  const frames = reader.ordered().slice(0, MAX_FRAMES);
  const isTrace = frames.some(isPrinted);
  return {
    frames,
    withoutFile: reader.withoutFile,
    messages: [...new Set(reader.messages)].slice(0, MAX_MESSAGES),
    rest: lines
      .filter((line, at) => !reader.used.has(at) && !(isTrace && PRINTED.test(line)))
      .join("\n")
      .trim(),
  };
}

/** A sentence may name a place; only programs print the others. */
function isPrinted({ format }: PastedFrame): boolean {
  return format !== "location" && format !== "permalink" && format !== "diff";
}

/** Beside a trace: indented source, rules, marks, and what compilers and test runners say about the next line. */
const PRINTED =
  /^(?: {4,}|\t)|^\s*(?:[|│>=~^*_-]|\d+ *[|│]|[●✖❯✗×❌] |E {2,}|at |\.\.\. |note:|help:|warning|error|fatal|FAIL|PASS|failures?:|ok\b|exit status|goroutine \d|panic\b|Caused by|created by|stack backtrace|Stack trace|During handling|The above exception|Expected|Actual|Received|Found \d+ error|In file included|In function|Tests? |Test Files|Suites?:|Time:|Duration|Snapshots?:|Exception in thread|Unhandled exception|Uncaught|Error:|[\w.$]+(?:Error|Exception|Failure|Warning)\b)/i;

/** Without colours, the prefix of `docker compose logs` and the carriage return. */
function plainLine(line: string): string {
  const cut = line.slice(0, MAX_LINE);
  const bare = cut.includes("\u001b") ? cut.replace(COLOURS, "") : cut;
  return bare.replace(/^[a-z][\w.-]{0,60} {1,20}\| /i, "").replace(/\r$/, "");
}

const COLOURS = new RegExp(`${"\u001b"}\\[[\\d;]{0,20}[A-Za-z]`, "g");

/** Frames of one trace, in the order of the text. */
interface Trace {
  readonly frames: PastedFrame[];
  readonly outermostFirst: boolean;
  /** Caused the trace before it. */
  readonly isCause: boolean;
}

/** What a compiler says beside an error comes after all errors. */
type Severity = "error" | "warning" | "note";
const SEVERITIES: readonly Severity[] = ["error", "warning", "note"];

class TraceReader {
  readonly messages: string[] = [];
  readonly used = new Set<number>();
  withoutFile = 0;
  private readonly lines: readonly string[];
  private readonly traces: Trace[] = [];
  private readonly severities = new Map<PastedFrame, Severity>();
  /** Frames without a line come last. */
  private readonly filesOnly: PastedFrame[] = [];
  /** The trace that frames are added to; places in sentences and in quoted source do not end it. */
  private current: Trace | undefined;
  private severity: Severity = "error";
  private test: string | undefined;
  private testFrames: number[] = [];
  private goPackage: string | undefined;
  private hasCauses = false;
  private isGrouped = false;

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  read(): void {
    const hunks = readHunks(this.lines);
    for (const at of hunks.used) this.used.add(at);
    if (hunks.frames.length > 0) this.traces.push({ frames: hunks.frames, outermostFirst: false, isCause: false });
    for (let at = 0; at < this.lines.length; at++) if (!this.used.has(at)) this.readLine(this.lines[at]!, at);
  }

  ordered(): PastedFrame[] {
    const chains: PastedFrame[][] = [];
    for (const { frames, outermostFirst, isCause } of this.traces) {
      const inner = outermostFirst ? frames.toReversed() : withEnclosing(frames);
      if (isCause && chains.length > 0) chains.at(-1)!.unshift(...inner);
      else chains.push(inner);
    }
    const rank = (it: PastedFrame) => SEVERITIES.indexOf(this.severities.get(it) ?? "error");
    const placed = chains.flat().sort((a, b) => rank(a) - rank(b));
    return [...placed, ...this.filesOnly.sort((a, b) => a.at - b.at)];
  }

  private readLine(line: string, at: number): void {
    if (this.readHeader(line, at)) return;
    const found = readFrameLine(line);
    if (found === null) {
      this.withoutFile++;
      this.used.add(at);
      return;
    }
    if (found !== undefined) this.addFrame(found, line, at);
    else this.readWords(line, at);
    this.addMessage(line, at);
  }

  /** Lines that say how the frames after them are to be read. */
  private readHeader(line: string, at: number): boolean {
    if (line.includes("Traceback (most recent call last)")) {
      this.startTrace({ outermostFirst: true, isCause: this.isGrouped });
      this.isGrouped = false;
    } else if (/^[\s|]*\+-[+-]* \d+ -+$/.test(line)) {
      // A group of Python exceptions is followed by its members.
      this.isGrouped = true;
    } else if (/^\s*(?:Caused by:|\[cause\]:)/.test(line)) {
      this.hasCauses = true;
      this.startTrace({ isCause: true });
      return false;
    } else if (/^_{2,} \S.* _{2,}$/.test(line)) {
      const title = line.replaceAll(/^_+ | _+$/g, "").replace(/\[.*$/, "");
      // A fixture that fails is not in the test.
      this.test = title.startsWith("ERROR ") ? undefined : title;
      this.startTrace({ outermostFirst: true });
    } else if (/^\s*(?:--- FAIL:|=== (?:RUN|NAME|CONT))\s/.test(line)) {
      this.test = line.trim().split(/\s+/)[2];
    } else if (/^FAIL\t\S+\t/.test(line)) {
      this.placeTests(line.split("\t")[1]!);
    } else if (/^# [\w.-]+(?:\/[\w.-]+)+$/.test(line)) {
      this.goPackage = line.slice(2);
    } else return false;
    this.used.add(at);
    return true;
  }

  private startTrace({ outermostFirst = false, isCause = false }): Trace {
    const trace = { frames: [], outermostFirst, isCause };
    this.traces.push(trace);
    this.current = trace;
    return trace;
  }

  private addFrame(found: LineFrame, line: string, at: number): void {
    if (found.format === "compiler" && /^\s*:::/.test(line)) this.severity = "note";
    const symbol = found.symbol ?? this.symbolBefore(found, at);
    const source = this.quotedSource(found, at);
    this.push({ ...found, at, ...(symbol !== undefined && { symbol }), ...(source !== undefined && { source }) });
  }

  private push(frame: PastedFrame): void {
    this.used.add(frame.at);
    if (frame.line === undefined && frame.format !== "java") {
      this.filesOnly.push(frame);
      return;
    }
    if (frame.format === "location" || frame.format === "permalink") {
      this.traces.push({ frames: [frame], outermostFirst: false, isCause: false });
      return;
    }
    const last = this.current;
    const fits = last !== undefined && (last.frames.length === 0 || last.frames.at(-1)!.format === frame.format);
    const outermostFirst = frame.format === "python" || frame.format === "pytest";
    const trace = fits ? last : this.startTrace({ outermostFirst });
    const isTestItself = frame.format === "pytest" && trace.frames.length === 0 && frame.symbol === undefined;
    const test = isTestItself ? this.test : undefined;
    const placed = test === undefined ? frame : { ...frame, symbol: test };
    trace.frames.push(placed);
    if (frame.format === "compiler") this.severities.set(placed, this.severity);
  }

  /** Go and Rust name the function on the line before; pytest and go test name the test above. */
  private symbolBefore({ format }: LineFrame, at: number): string | undefined {
    const before = this.lines[at - 1] ?? "";
    if (format === "go") {
      const called = before
        .replace(/^created by /, "")
        .replace(/ in goroutine \d+$/, "")
        .trimEnd();
      if (called === "" || /^\s/.test(called)) return undefined;
      this.used.add(at - 1);
      return called.endsWith(")") ? called.slice(0, called.lastIndexOf("(")) : called;
    }
    if (format === "rust") {
      const name = /^\s*\d{1,4}:\s+(?:0x[\da-f]+ - )?(\S.*)$/.exec(before)?.[1];
      if (name !== undefined) this.used.add(at - 1);
      return name?.replace(/::h[\da-f]{16}$/, "");
    }
    return undefined;
  }

  /** Python quotes the line below the frame, compilers behind its number. */
  private quotedSource({ format, line }: LineFrame, at: number): string | undefined {
    if (format === "python") {
      const next = this.lines[at + 1] ?? "";
      if (!/^\s{3,}\S/.test(next) || next.includes('File "')) return undefined;
      this.used.add(at + 1);
      const marker = this.lines[at + 2] ?? "";
      if (/^\s*[~^][~^\s]*$/.test(marker)) this.used.add(at + 2);
      return next.trim();
    }
    if (format !== "compiler" || line === undefined) return undefined;
    for (let next = at + 1; next <= at + 4 && next < this.lines.length; next++) {
      const quoted = /^\s*(\d{1,7})\s*[|│](.*)$/.exec(this.lines[next]!);
      if (quoted !== null && Number(quoted[1]) === line) return quoted[2]!.trim();
    }
    return undefined;
  }

  /** Any other line: the places among its words. */
  private readWords(line: string, at: number): void {
    const severity = /\b(?:(fatal error|error)|(warning)|(note|info|included from|required from))\b/i.exec(line);
    if (severity !== null && !/^\s*(?:\d+ )?[|│=]/.test(line))
      this.severity = severity[1] ? "error" : severity[2] ? "warning" : "note";
    if (/^\s*(?:>\s*)?\d{1,7}\s*[|│]/.test(line)) {
      this.used.add(at);
      return;
    }
    const isCompiler = COMPILER_LINE.test(line);
    const inFunction = /\bIn (?:static )?(?:member )?function ['‘`](.+?)['’]/.exec(line)?.[1];
    for (const word of line.split(/[\s,]+(?![\d,]*\))/)) {
      if (word.length < 3 || !/[./\\#:(]/.test(word)) continue;
      const found = parseLocation(word);
      if (found === undefined) continue;
      const { hosted, ...location } = found;
      if (inFunction !== undefined && location.line === undefined) {
        this.test = inFunction;
        continue;
      }
      this.pushLocation({ ...location, hosted: hosted === true, isCompiler }, line, at);
    }
  }

  private pushLocation(
    {
      hosted,
      isCompiler,
      ...location
    }: Omit<LineFrame, "format"> & { readonly hosted: boolean; readonly isCompiler: boolean },
    line: string,
    at: number,
  ): void {
    if (isCompiler && location.line !== undefined) {
      const path =
        this.goPackage !== undefined && !location.path.includes("/")
          ? `${this.goPackage}/${location.path}`
          : location.path;
      this.addFrame({ format: "compiler", ...location, path }, line, at);
      return;
    }
    const isTest = /^\s+\w+_test\.go:\d+:/.test(line);
    if (!isTest) {
      // A file that prose mentions is not a frame, so the line stays part of the rest.
      const isProse = /\S\s+\S+\s+\S/.test(line.trim());
      this.push({ format: hosted ? "permalink" : "location", ...location, at });
      if (isProse) this.used.delete(at);
      return;
    }
    this.push({
      format: "go_test",
      ...location,
      at,
      ...(this.test !== undefined && { symbol: this.test.split("/")[0]! }),
    });
    this.testFrames.push(this.traces.length - 1);
  }

  /** `go test` names the package after its failures. */
  private placeTests(name: string): void {
    for (const index of new Set(this.testFrames)) {
      const { frames } = this.traces[index]!;
      frames.forEach((frame, i) => {
        if (!frame.path.includes("/")) frames[i] = { ...frame, path: `${name}/${frame.path}` };
      });
    }
    this.testFrames = [];
  }

  private addMessage(line: string, at: number): void {
    const found = readMessage(line, this.lines[at - 1] ?? "");
    if (found === undefined) return;
    if (this.hasCauses) this.messages.unshift(found);
    else this.messages.push(found);
  }
}

/** `path:12:5: error: …`, `path(12,5): error TS2322: …`, `path:12:5 - error TS2322: …`, `./cart.go:12:5: …` */
const COMPILER_LINE =
  /(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)):? {1,4}(?:- )?(?:fatal error|error|warning|note|info|required|undefined reference)\b|(?:^|: )\S+\.go:\d+:\d+: |included from |^\s+from \S+:\d+[,:]/;

/** A PHP frame names the function that it calls: the one it is in is named by the frame after it. */
function withEnclosing(frames: readonly PastedFrame[]): PastedFrame[] {
  if (frames[0]?.format !== "php") return [...frames];
  return frames.map((frame, i) => {
    const { symbol, ...place } = frame;
    const next = frames[i + 1];
    const isNext = next?.symbol !== undefined && next.at - frame.at <= (symbol === undefined ? 3 : 1);
    return isNext ? { ...place, symbol: next.symbol! } : place;
  });
}

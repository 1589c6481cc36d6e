/**
 * The Rust compiler as an oracle: every definition is marked as deprecated, and the compiler's warnings name each use, also
 * inside macro arguments. It does not warn inside of deprecated items, so definitions are marked in random groups, twice.
 * Judges `src` of one crate without dependencies. Methods of trait implementations cannot be marked and are left out.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { positionOf } from "./lsp.ts";
import type { Oracle, Place, RefKind, Target, Truth } from "./oracle.ts";

/** A definition that can be marked: `at` is where the attribute goes. */
interface Markable {
  readonly path: string;
  readonly name: string;
  readonly at: number;
  readonly offset: number;
}

interface Span {
  readonly file_name: string;
  readonly line_start: number;
  readonly line_end: number;
  readonly column_start: number;
  readonly column_end: number;
  readonly is_primary: boolean;
  readonly expansion: { readonly span: Span } | null;
}

interface Message {
  readonly level: string;
  readonly message: string;
  readonly code: { readonly code: string } | null;
  readonly spans: readonly Span[];
  readonly children: readonly { readonly message: string }[];
}

const GROUPS = 12;
const ROUNDS = 2;

export function rustOracle(root: string, paths: readonly string[], scratch: string): Oracle {
  rmSync(scratch, { recursive: true, force: true });
  cpSync(root, scratch, { recursive: true, filter: (path) => !path.endsWith("/.git") });
  const sources = paths.filter((it) => /^src\/.*\.rs$/.test(it));
  const texts = new Map(sources.map((it) => [it, readFileSync(join(root, it), "utf8")]));
  const crate = new Crate(scratch, texts);
  // Files that the enabled features leave out.
  for (const path of sources) if (!crate.files.has(path)) texts.delete(path);
  const marks = crate.accepted([...texts].flatMap(([path, text]) => markables(path, text)));
  const uses = new Map<string, Map<string, Truth>>(marks.map((it) => [`${it.path}:${it.offset}`, new Map()]));
  for (let round = 0; round < ROUNDS; round++) {
    for (let group = 0; group < GROUPS; group++) {
      const chosen = marks.filter((_, i) => groupOf(i, round) === group);
      for (const [mark, truth] of crate.usesOf(chosen))
        uses.get(`${mark.path}:${mark.offset}`)!.set(`${truth.path}:${truth.line}:${truth.column}`, truth);
    }
  }
  return {
    references: async (path, offset) => {
      const found = uses.get(`${path}:${offset}`);
      return found && [...found.values()];
    },
    reads: (path) => texts.has(path),
    judges: ({ path, line, column }) => crate.isCompiled(path, line, column),
    leadsTo: (site, symbol) => crate.isInside(site, symbol),
    note: `${marks.length} definitions marked`,
    close: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

function groupOf(i: number, round: number): number {
  return ((Math.imul(i + 1, round === 0 ? 2654435761 : 40503) >>> 4) + round * i) % GROUPS;
}

const ITEM =
  /^([ \t]*)(?:(pub(?:\([^)]*\))?[ \t]+)?(?:(?:default|unsafe|async|const|extern(?:[ \t]+"\w+")?)[ \t]+)*(?:fn|struct|enum|union|trait|type|static(?:[ \t]+mut)?|const)[ \t]+(\w+)|macro_rules![ \t]*(\w+)|(?:pub(?:\([^)]*\))?[ \t]+)?(\w+)[ \t]*:[ \t]*[^:\n]+,[ \t]*$|([A-Z]\w*)(?:\(.*\)|[ \t]*\{)?(?:[ \t]*=.*)?,?[ \t]*$)/gm;

function markables(path: string, text: string): Markable[] {
  const found: Markable[] = [];
  for (const match of text.matchAll(ITEM)) {
    const name = match[3] ?? match[4] ?? match[5] ?? match[6];
    if (name === undefined || name === "_") continue;
    const at = match.index + match[1]!.length;
    if (isInTraitImpl(text, match.index, match[1]!.length)) continue;
    const offset = match.index + match[0].search(new RegExp(`\\b${name}\\b(?!.*\\bfn ${name}\\b)`));
    found.push({ path, name, at, offset });
  }
  return found;
}

/** The nearest line above that is less indented opens `impl Trait for Type`. */
function isInTraitImpl(text: string, at: number, indent: number): boolean {
  const above = text.slice(0, at).split("\n");
  for (let i = above.length - 2; i >= 0; i--) {
    const line = above[i]!;
    if (line.trim() === "" || line.search(/\S/) >= indent) continue;
    // A `where` clause and the brace after it belong to the item above.
    if (/^\s*\{\s*$/.test(line)) continue;
    if (/^\s*(?:where\b|\}|\{|[\w:<>, ]+:)/.test(line) && !/\bimpl\b/.test(line) && !/\{\s*$/.test(line)) continue;
    return /^\s*(?:unsafe\s+)?impl\b.*\bfor\b/.test(line);
  }
  return false;
}

class Crate {
  private readonly folder: string;
  private readonly texts: ReadonlyMap<string, string>;
  private readonly flags: readonly string[];
  /** Those that were compiled. */
  readonly files: ReadonlySet<string>;
  private readonly removed = new Map<string, readonly (readonly [number, number])[]>();

  constructor(folder: string, texts: ReadonlyMap<string, string>) {
    this.folder = folder;
    this.texts = texts;
    const manifest = readFileSync(join(folder, "Cargo.toml"), "utf8");
    const edition = /^edition\s*=\s*"(\d+)"/m.exec(manifest)?.[1] ?? "2015";
    const name = /^name\s*=\s*"([^"]+)"/m.exec(manifest)![1]!.replaceAll("-", "_");
    const features = /\[features\]([^[]*(?:\[[^\]]*\][^[]*)*?)(?:\n\[|$)/.exec(manifest)?.[1] ?? "";
    const plain = [...features.matchAll(/^(default|std|alloc)\s*=\s*\[/gm)];
    const common = ["--edition", edition, "--crate-name", name, "--emit=metadata", "--error-format=json"];
    const enabled = plain.flatMap(([, it]) => ["--cfg", `feature="${it}"`]);
    const out = ["-o", join(folder, "oracle.rmeta"), "-Wdeprecated", "-Auseless_deprecated", "-Adeprecated_in_future"];
    const entry = existsSync(join(folder, "src/lib.rs")) ? "src/lib.rs" : "src/main.rs";
    const kind = entry.endsWith("lib.rs") ? ["--crate-type", "lib"] : [];
    const withTests = [...common, ...enabled, ...out, entry, "--test"];
    this.flags = this.errors(withTests).length === 0 ? withTests : [...common, ...enabled, ...out, ...kind, entry];
    const broken = this.errors(this.flags);
    if (broken.length > 0) throw new Error(`The crate does not compile: ${broken[0]!.message}`);
    const listed = join(folder, "oracle.d");
    const withoutOutput = this.flags.filter((it, i) => it !== "-o" && this.flags[i - 1] !== "-o");
    const asked = withoutOutput.map((it) => (it === "--emit=metadata" ? `--emit=dep-info=${listed}` : it));
    spawnSync("rustc", asked, { cwd: folder });
    this.files = new Set(readFileSync(listed, "utf8").split(/[\s:]+/));
  }

  private errors(flags: readonly string[]): Message[] {
    return this.compile(flags).filter((it) => it.level === "error");
  }

  private compile(flags: readonly string[]): Message[] {
    const { stderr } = spawnSync("rustc", flags, { cwd: this.folder, encoding: "utf8", maxBuffer: 1 << 30 });
    return stderr.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Message] : []));
  }

  /** Those that the compiler lets be marked. */
  accepted(all: readonly Markable[]): Markable[] {
    let left = [...all];
    for (let round = 0; round < 40; round++) {
      this.write(left);
      const errors = this.errors(this.flags);
      if (errors.length === 0) return left;
      const lines = new Set(errors.flatMap(({ spans }) => spans.map((it) => `${it.file_name}:${it.line_start}`)));
      const kept = left.filter((it) => !lines.has(`${it.path}:${this.lineOf(it)}`));
      if (kept.length === left.length) throw new Error(`Not understood: ${errors[0]!.message}`);
      left = kept;
    }
    throw new Error("Too many definitions cannot be marked.");
  }

  private lineOf({ path, at }: Markable): number {
    return positionOf(this.texts.get(path)!, at).line + 1;
  }

  private write(marks: readonly Markable[]): void {
    const byPath = Map.groupBy(marks.entries(), ([, { path }]) => path);
    for (const [path, text] of this.texts) {
      let marked = text;
      for (const [number, { at }] of (byPath.get(path) ?? []).toSorted((a, b) => b[1].at - a[1].at))
        marked = marked.slice(0, at) + attribute(number) + marked.slice(at);
      // A file that allows what is deprecated would be silent.
      writeFileSync(join(this.folder, path), marked.replace(/(?<=\ballow\([^)\n]*)\bdeprecated\b/g, "unused_mut"));
    }
  }

  usesOf(marks: readonly Markable[]): [Markable, Truth][] {
    this.write(marks);
    const found: [Markable, Truth][] = [];
    for (const { code, message, spans } of this.compile(this.flags)) {
      const number = code?.code === "deprecated" && /oracle (\d+)/.exec(message)?.[1];
      const mark = number ? marks[Number(number)] : undefined;
      if (mark === undefined) continue;
      for (const span of spans) {
        const truth = span.is_primary ? this.truthAt(span, mark, marks) : undefined;
        if (truth !== undefined) found.push([mark, truth]);
      }
    }
    return found;
  }

  /** The innermost written occurrence of the name: what a macro makes has none. */
  private truthAt(span: Span, mark: Markable, marks: readonly Markable[]): Truth | undefined {
    for (let at: Span | undefined = span; at !== undefined; at = at.expansion?.span) {
      const lines = this.texts.get(at.file_name)?.split("\n");
      if (lines === undefined) continue;
      const path = at.file_name;
      // A field is marked with its receiver.
      const ends = [
        [at.line_start, at.column_start - 1],
        [at.line_end, at.column_end - 1 - mark.name.length],
      ] as const;
      for (const [line, written] of ends) {
        const column = written - this.inserted(path, line, marks);
        const text = lines[line - 1]!;
        if (!text.startsWith(mark.name, column)) continue;
        return { path, line, column, kind: kindOf(text, column, mark.name), definition: false };
      }
    }
    return undefined;
  }

  /** Characters that attributes added to the line before a position. */
  private inserted(path: string, line: number, marks: readonly Markable[]): number {
    let count = 0;
    for (const [number, mark] of marks.entries())
      if (mark.path === path && this.lineOf(mark) === line) count += attribute(number).length;
    return count;
  }

  /** The compiler does not warn inside of what is marked: a function that calls itself. */
  isInside({ path, line }: Place, symbol: Target): boolean {
    const text = this.texts.get(symbol.path)!;
    const start = positionOf(text, symbol.offset).line;
    const lines = text.split("\n");
    const indent = /^\s*/.exec(lines[start]!)![0];
    const end = lines.findIndex((it, i) => i > start && it.startsWith(`${indent}}`));
    return path === symbol.path && /\bfn\b/.test(lines[start]!) && line - 1 > start && line - 1 <= end;
  }

  /** Comments and bodies of `macro_rules!` are not compiled where they are written. */
  isCompiled(path: string, line: number, column: number): boolean {
    const text = this.texts.get(path) ?? "";
    const ranges = this.removed.get(path) ?? notCompiled(text);
    this.removed.set(path, ranges);
    const lines = text.split("\n").slice(0, line);
    // Of `Kind::Variant` only the variant is named.
    if (/^\w+::[A-Z]\w*(?!\w|::)/.test(lines.at(-1)!.slice(column))) return false;
    const offset = lines.slice(0, -1).reduce((sum, it) => sum + it.length + 1, 0) + column;
    return !ranges.some(([start, end]) => start <= offset && offset < end);
  }
}

function attribute(number: number): string {
  return `#[deprecated(note = "oracle ${number}")] `;
}

/** Items under `cfg`, and macros' definitions: their ranges. */
function notCompiled(text: string): (readonly [number, number])[] {
  return [...text.matchAll(/^([ \t]*)(?:#\[cfg\(.*\)\]|macro_rules!)/gm)].map(({ index, 1: indent }) => {
    const close = new RegExp(`^${indent}(?:\\}.*|[^\\s#}/].*;)$`, "gm");
    close.lastIndex = index + 1;
    return [index, (close.exec(text)?.index ?? text.length) + 1] as const;
  });
}

function kindOf(text: string, column: number, name: string): RefKind {
  const [before, after] = [text.slice(0, column), text.slice(column + name.length)];
  if (/^\s*(?:pub(?:\([^)]*\))?\s+)?use\b/.test(before)) return "import";
  const called = /^(?:::<[^()]*>)?\s*\(/.test(after);
  const member = /(?:\.|::)$/.test(before);
  return member ? (called ? "member call" : "member") : called ? "call" : "reference";
}

/** Go's own type checker as an oracle: `go-uses` is built with the machine's `go` and run once for the whole project. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { positionOf } from "./lsp.ts";
import type { Oracle, RefKind, Truth } from "./oracle.ts";

interface Use {
  readonly path: string;
  readonly offset: number;
  readonly kind: RefKind;
  readonly of: string;
  readonly ofOffset: number;
}

interface Answer {
  readonly files: readonly string[];
  readonly packages: number;
  readonly skipped: Readonly<Record<string, string>>;
  readonly uses: readonly Use[];
  readonly definitions: readonly Pick<Use, "path" | "offset">[];
}

export interface GoTools {
  /** Directory of the built program. */
  readonly tools: string;
  /** Sources of modules by import path: dependencies of the projects that this repository does not contain. */
  readonly libraries: string;
}

export function goOracle(root: string, { tools, libraries }: GoTools): Oracle {
  const asked = spawnSync(built(tools), [root, libraries], { encoding: "utf8", maxBuffer: 1 << 30 });
  if (asked.status !== 0) throw new Error(`go-uses failed: ${asked.stderr}`);
  const { files, packages, skipped, uses, definitions } = JSON.parse(asked.stdout) as Answer;
  const texts = new Map(files.map((path) => [path, new Utf16(readFileSync(join(root, path)))]));
  const at = (path: string, bytes: number) => `${path}:${texts.get(path)?.offset(bytes)}`;
  const truthOf = ({ path, offset, kind }: Use): Truth => {
    const { line, character } = texts.get(path)!.position(offset);
    return { path, line: line + 1, column: character, kind, definition: false };
  };
  const byDefinition = new Map<string, Truth[]>(definitions.map((it) => [at(it.path, it.offset), []]));
  for (const use of uses) byDefinition.get(at(use.of, use.ofOffset))?.push(truthOf(use));
  const read = new Set(files);
  const left = Object.entries(skipped).map(([folder, why]) => `${folder} (${why.split("\n")[0]})`);
  return {
    references: async (path, offset) => byDefinition.get(`${path}:${offset}`),
    reads: (path) => read.has(path),
    note: `${packages} packages judged, ${left.length} left out${left.length > 0 ? `: ${left.join("; ")}` : ""}`,
    close: () => undefined,
  };
}

function built(tools: string): string {
  const program = join(tools, "go-uses");
  mkdirSync(tools, { recursive: true });
  const source = join(import.meta.dirname, "go-uses", "main.go");
  const env = { ...process.env, GO111MODULE: "off", GOCACHE: join(tools, "go-cache") };
  const made = spawnSync("go", ["build", "-o", program, source], { env, encoding: "utf8" });
  if (made.error || !existsSync(program)) {
    throw new Error(
      `This oracle needs Go 1.18 or later on the PATH (Debian: golang-go): ${made.error?.message ?? made.stderr}`,
    );
  }
  return program;
}

/** Go counts bytes; the index counts UTF-16 units. */
class Utf16 {
  private readonly bytes: Buffer;
  private readonly text: string;
  private readonly plain: boolean;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.text = bytes.toString("utf8");
    this.plain = this.text.length === bytes.length;
  }

  offset(bytes: number): number {
    return this.plain ? bytes : this.bytes.subarray(0, bytes).toString("utf8").length;
  }

  position(bytes: number): { line: number; character: number } {
    return positionOf(this.text, this.offset(bytes));
  }
}

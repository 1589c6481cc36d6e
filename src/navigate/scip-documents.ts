/** Definitions and certain uses of a view as SCIP documents. Uses that only share a name are left out. */
import { languageById } from "../languages/index.ts";
import { type CodeSymbol, type FileRecord, nameLine } from "../model/code.ts";
import { EDGE_KINDS, type SymbolLocation } from "../model/edges.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { ScipPage, ScipRequest } from "../model/navigation.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { encodeDocument, join, type ScipOccurrence, type ScipSymbol } from "../scip/encode.ts";
import { Binder } from "./bind/binder.ts";
import type { Module } from "./bind/module.ts";
import { BindingWorld } from "./bind/world.ts";
import { referenceRules } from "./reference-rules.ts";

/** A page of documents; `files` is the number of files of the view that the page covers. */
export async function scipDocuments({ offset, limit }: ScipRequest, at: Snapshot): Promise<ScipPage> {
  const page = (await at.files()).slice(offset, offset + limit);
  const world = await BindingWorld.of(at, referenceRules);
  const known = page.filter(({ language }) => referenceRules(language) !== undefined);
  await world.load(known.map(({ path }) => path));
  const names = new SymbolNames(at);
  const parts: Uint8Array[] = [];
  let occurrenceCount = 0;
  for (const file of known) {
    const record = await at.record(file);
    const uses = await world.settle(() => usesIn(file.path, new Binder(world)));
    await names.load([file.path, ...uses.flatMap(({ to }) => to.map(({ path }) => path))]);
    const lines = (await at.text(file)).split("\n");
    const definitions = definitionsOf(record, lines, names);
    const bases = basesOf(uses, names);
    const references = uses.flatMap(({ to, line, column, name, role }) =>
      to.flatMap((place): ScipOccurrence[] => {
        const symbol = names.of(place);
        return symbol === undefined ? [] : [{ line: line - 1, start: column, end: column + name.length, symbol, role }];
      }),
    );
    const occurrences = [...definitions, ...references].sort((a, b) => a.line - b.line || a.start - b.start);
    occurrenceCount += occurrences.length;
    const symbols = definitions.map(({ index, symbol }) =>
      described(record.symbols[index]!, symbol, bases.get(index) ?? []),
    );
    const language = languageById(file.language)?.title ?? file.language;
    parts.push(encodeDocument({ path: file.path, language, occurrences, symbols }));
    if (isLongTurn()) await nextTurn();
  }
  return { bytes: join(parts), files: page.length, documents: known.length, occurrences: occurrenceCount };
}

interface Use {
  readonly to: readonly SymbolLocation[];
  readonly from: number;
  readonly line: number;
  readonly column: number;
  readonly name: string;
  readonly role: "import" | "reference";
  readonly isHeritage: boolean;
}

const HERITAGE: ReadonlySet<string> = new Set(["extends", "implements"]);

function usesIn(path: string, binder: Binder): readonly Use[] {
  const module = binder.world.module(path);
  if (module === undefined) return [];
  return [...importsIn(module, binder), ...sitesIn(module, binder)];
}

function importsIn(module: Module, binder: Binder): Use[] {
  return module.facts.imports.flatMap((fact): Use[] => {
    const { name, line, column } = fact;
    if (fact.module === "" || !/^[\p{L}_$]/u.test(name) || name === "default") return [];
    const to = symbolsOnly(binder.names.imported(module, fact));
    return to.length === 0 ? [] : [{ to, from: -1, line, column, name, role: "import", isHeritage: false }];
  });
}

function sitesIn(module: Module, binder: Binder): Use[] {
  const { sites, names } = module.facts;
  const uses: Use[] = [];
  for (let i = 0; i < sites.count; i++) {
    const to = binder.site(module, i).symbols.map((it) => binder.prototypes.definitionOf(it));
    if (to.length === 0) continue;
    const [line, column, name] = [sites.lines[i]!, sites.columns[i]!, names[sites.names[i]!]!];
    const isHeritage = HERITAGE.has(EDGE_KINDS[sites.kinds[i]!]!);
    uses.push({ to: distinct(to), from: sites.from[i]!, line, column, name, role: "reference", isHeritage });
  }
  return uses;
}

function symbolsOnly(values: readonly { readonly is: string }[]): SymbolLocation[] {
  return values.flatMap((it) => (it.is === "symbol" ? [it as unknown as SymbolLocation] : []));
}

function distinct(all: readonly SymbolLocation[]): SymbolLocation[] {
  return [...new Map(all.map(({ path, index }) => [`${path}\0${index}`, { path, index }])).values()];
}

type Definition = ScipOccurrence & { readonly index: number };

function definitionsOf({ path, symbols }: FileRecord, lines: readonly string[], names: SymbolNames): Definition[] {
  return symbols.flatMap((it, index): Definition[] => {
    const symbol = names.of({ path, index });
    const line = nameLine(it) - 1;
    const start = columnOf(it.name, lines[line] ?? "");
    if (symbol === undefined || start < 0) return [];
    return [{ index, line, start, end: start + it.name.length, symbol, role: "definition" }];
  });
}

/** The name as a whole word in the line of the definition. */
function columnOf(name: string, line: string): number {
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1))
    if (!/[\p{L}\p{N}_$]$/u.test(line.slice(0, at)) && !/^[\p{L}\p{N}_$]/u.test(line.slice(at + name.length)))
      return at;
  return -1;
}

function basesOf(uses: readonly Use[], names: SymbolNames): Map<number, string[]> {
  const bases = new Map<number, string[]>();
  for (const { from, to, isHeritage } of uses)
    if (isHeritage && from >= 0)
      bases.set(from, [...(bases.get(from) ?? []), ...to.flatMap((it) => names.of(it) ?? [])]);
  return bases;
}

function described({ name, signature, doc }: CodeSymbol, symbol: string, bases: readonly string[]): ScipSymbol {
  return { symbol, name, implements: bases, ...(signature && { signature }), ...(doc && { doc }) };
}

/** SCIP's name of each symbol: the path as a namespace, then a descriptor for each symbol around it and for itself. */
class SymbolNames {
  private readonly at: Snapshot;
  private readonly files = new Map<string, readonly (string | undefined)[]>();

  constructor(at: Snapshot) {
    this.at = at;
  }

  async load(paths: readonly string[]): Promise<void> {
    for (const path of new Set(paths)) {
      if (this.files.has(path)) continue;
      const file = await this.at.file(path);
      this.files.set(path, file === undefined ? [] : symbolNames(await this.at.record(file)));
    }
  }

  of({ path, index }: SymbolLocation): string | undefined {
    return this.files.get(path)?.[index];
  }
}

/** No version control says what package this is, so that manager, name and version are empty. */
const SCHEME = "codecompass . . . ";
const NOT_NAMED: ReadonlySet<string> = new Set(["use", "package", "heading", "impl", "extension", "instance"]);

function symbolNames({ path, symbols }: FileRecord): (string | undefined)[] {
  const seen = new Map<string, number>();
  const descriptors: string[] = [];
  return symbols.map((symbol, index) => {
    const around = symbol.parent === undefined ? `${identifier(path)}/` : descriptors[symbol.parent]!;
    const kind = suffixKind(symbol);
    const key = `${around}${symbol.name} ${kind}`;
    const many = seen.get(key) ?? 0;
    seen.set(key, many + 1);
    descriptors[index] = `${around}${descriptor(symbol.name, kind, many)}`;
    return NOT_NAMED.has(symbol.kind) ? undefined : SCHEME + descriptors[index];
  });
}

const METHODS: ReadonlySet<string> = new Set(["fn", "method", "constructor", "test"]);
const TYPES: ReadonlySet<string> = new Set(
  "class struct enum interface trait protocol union object record type impl extension instance".split(" "),
);
const SPACES: ReadonlySet<string> = new Set(["namespace", "module", "package"]);

function suffixKind({ kind }: CodeSymbol): "method" | "type" | "space" | "macro" | "term" {
  if (METHODS.has(kind)) return "method";
  if (TYPES.has(kind)) return "type";
  return SPACES.has(kind) ? "space" : kind === "macro" ? "macro" : "term";
}

/** Equal names differ by their number; only a method has a place for it. */
function descriptor(name: string, kind: ReturnType<typeof suffixKind>, many: number): string {
  if (kind === "method") return `${identifier(name)}(${many > 0 ? `+${many}` : ""}).`;
  const told = identifier(many > 0 ? `${name}+${many}` : name);
  return told + { type: "#", space: "/", macro: "!", term: "." }[kind];
}

function identifier(name: string): string {
  return /^[\w+$-]+$/.test(name) ? name : `\`${name.replaceAll("`", "``")}\``;
}

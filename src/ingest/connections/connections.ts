/**
 * Reads the sides of connections in a file: see `model/connections.ts`. Rules are rows by language and name, so a file without
 * those names costs one look-up for each name it uses. How to add a kind is in docs/connections.md.
 */
import type { CodeSymbol } from "../../model/code.ts";
import type { ConnectionFact, ConnectionTarget } from "../../model/connections.ts";
import { lineAt } from "../../text/lines.ts";
import type { Use } from "../edge-captures.ts";
import type { TextRange } from "../file-names.ts";
import { assignedBefore, type CallArguments, readCall } from "./call.ts";
import { readGoRouters } from "./call-routes.ts";
import { readCommands } from "./commands.ts";
import { readConfigKeys } from "./config-keys.ts";
import { readRouteTables } from "./ecmascript-routes.ts";
import { readElements } from "./elements.ts";
import { readEnvironment } from "./environment.ts";
import { EVENT_RULES, readLaravelEvents, readProviders } from "./events.ts";
import { readFileRoutes } from "./file-routes.ts";
import { GRAPHQL_RULES, readGraphql } from "./graphql.ts";
import { readPythonRouters } from "./python-routes.ts";
import { ROUTE_RULES } from "./routes.ts";
import { readRpc } from "./rpc.ts";
import { readSymfonyConfig } from "./symfony-config.ts";
import { readTables, TABLE_RULES } from "./tables.ts";
import { readTemplates } from "./templates.ts";
import { readTerraform } from "./terraform.ts";
import { readConstants } from "./written-path.ts";

/** A row: which names of which languages it reads. `early` rows are read first: they set prefixes for others. */
export interface ConnectionRule {
  readonly languages: readonly string[];
  readonly names: readonly string[];
  readonly early?: true;
  read(use: NamedUse, file: ConnectionFile): void;
}

/** A name that is used, called or an annotation. */
export interface NamedUse {
  readonly name: string;
  readonly at: number;
  readonly end: number;
  /** Text before the dot; "" without one. */
  readonly receiver: string;
  /** Where the receiver, or the name, begins. */
  readonly start: number;
}

/** A file with its symbols. */
export interface OutlinedFile {
  readonly path: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
  readonly symbols: readonly CodeSymbol[];
  /** Offset of each symbol's name. */
  readonly places: readonly number[];
}

export interface ConnectionSource extends OutlinedFile {
  readonly language: string;
  /** Names in source order; absent in languages without references. */
  readonly uses?: ReadonlyMap<number, Use>;
}

const RULES: readonly ConnectionRule[] = [...ROUTE_RULES, ...TABLE_RULES, ...EVENT_RULES, ...GRAPHQL_RULES];
/** Readers of whole texts that set prefixes for rules. */
const EARLY_READERS: readonly ((file: ConnectionFile) => void)[] = [readPythonRouters];
/** Readers of whole texts, for what no name shows. Each decides by path, language and a word whether to begin. */
const TEXT_READERS: readonly ((file: ConnectionFile) => void)[] = [
  readConstants,
  readGoRouters,
  readRouteTables,
  readTemplates,
  readFileRoutes,
  readSymfonyConfig,
  readTables,
  readEnvironment,
  readConfigKeys,
  readTerraform,
  readCommands,
  readProviders,
  readLaravelEvents,
  readElements,
  readRpc,
  readGraphql,
];

export function readConnections(source: ConnectionSource): readonly ConnectionFact[] | undefined {
  const file = new ConnectionFile(source);
  const rules = rulesOf(source.language);
  for (const read of EARLY_READERS) read(file);
  if (rules.size > 0 && source.uses !== undefined) readUses(source.uses, rules, file);
  for (const read of TEXT_READERS) read(file);
  return file.facts.length === 0 ? undefined : file.facts;
}

function readUses(uses: ReadonlyMap<number, Use>, rules: RulesByName, file: ConnectionFile): void {
  const found: [NamedUse, readonly ConnectionRule[]][] = [];
  for (const use of uses.values()) {
    const named = rules.get(use.name);
    if (named !== undefined) found.push([namedUse(use, file.text), named]);
  }
  found.sort(([a], [b]) => a.at - b.at);
  for (const early of [true, undefined])
    for (const [use, named] of found) for (const rule of named) if (rule.early === early) rule.read(use, file);
}

function namedUse({ name, at, end, recv }: Use, text: string): NamedUse {
  return { name, at, end, receiver: recv ? text.slice(recv.start, recv.end) : "", start: recv?.start ?? at };
}

type RulesByName = ReadonlyMap<string, readonly ConnectionRule[]>;

const byLanguage = new Map<string, RulesByName>();

function rulesOf(language: string): RulesByName {
  let known = byLanguage.get(language);
  if (known === undefined) {
    const rules = new Map<string, ConnectionRule[]>();
    for (const rule of RULES) {
      if (!rule.languages.includes(language)) continue;
      for (const name of rule.names) rules.set(name, [...(rules.get(name) ?? []), rule]);
    }
    known = rules;
    byLanguage.set(language, known);
  }
  return known;
}

/** A prefix that a variable or a part of the file gives to the routes on it. */
export interface RoutePrefix {
  readonly prefix: string;
  /** What `CONSTANT` in the prefix represents. */
  readonly constant?: ConnectionTarget;
  /** The variable that it is a group of. */
  readonly parent?: string;
}

/** What a file gives to its rules. */
export class ConnectionFile {
  readonly facts: ConnectionFact[] = [];
  readonly language: string;
  readonly path: string;
  readonly text: string;
  readonly symbols: readonly CodeSymbol[];
  /** Parts of the file whose routes have a prefix: a block, a class. `owner` is a namespace of handlers. */
  readonly blocks: (TextRange & RoutePrefix & { readonly owner?: string })[] = [];
  /** Routers and groups of this file, by variable, in the order of their assignments. */
  private readonly routers = new Map<string, (RoutePrefix & { readonly at: number; readonly from: number })[]>();
  private readonly it: ConnectionSource;
  private names: readonly number[] | undefined;
  private outer: readonly number[] | undefined;
  private readonly variables = new Map<RegExp, ReadonlySet<string>>();
  private readonly calls = new Map<number, CallArguments | undefined>();

  constructor(it: ConnectionSource) {
    this.it = it;
    this.language = it.language;
    this.path = it.path;
    this.text = it.text;
    this.symbols = it.symbols;
  }

  add(at: number, fact: Omit<ConnectionFact, "line" | "from">): void {
    this.facts.push({ ...fact, line: lineAt(this.it.lineStarts, at), from: this.symbolAround(at) });
  }

  /** No symbol around it is what the key means: the file itself, or an element. */
  addAlone(at: number, fact: Omit<ConnectionFact, "line" | "from">): void {
    this.facts.push({ ...fact, line: lineAt(this.it.lineStarts, at), from: -1 });
  }

  setRouter(variable: string, at: number, prefix: RoutePrefix): void {
    const known = this.routers.get(variable) ?? [];
    known.push({ ...prefix, at, from: this.symbolAround(at) });
    this.routers.set(variable, known);
  }

  /** The group that a variable holds at an offset: functions may use one name for several. */
  routerAt(variable: string, at: number): RoutePrefix | undefined {
    const known = this.routers.get(variable);
    if (known === undefined || known.length < 2) return known?.[0];
    const from = this.symbolAround(at);
    const before = known.filter((it) => it.at <= at);
    return before.findLast((it) => it.from === from) ?? before.at(-1) ?? known[0];
  }

  /** Offset of a symbol's name. */
  nameOf(symbol: number): number {
    return this.it.places[symbol]!;
  }

  /** Several rules may read the arguments of one call. */
  call({ end }: NamedUse): CallArguments | undefined {
    if (!this.calls.has(end)) this.calls.set(end, readCall(this.text, end, { bare: BARE_CALLS.has(this.language) }));
    return this.calls.get(end);
  }

  /** The site of a name, for `navigate` to bind. */
  siteAt(at: number): ConnectionTarget {
    const line = lineAt(this.it.lineStarts, at);
    const word = /^[\p{L}\p{N}_$]*/u.exec(this.text.slice(at, at + MAX_NAME))![0];
    return { line, column: at - this.it.lineStarts[line - 1]!, word };
  }

  /** The innermost symbol around an offset, -1 for none. */
  symbolAround(at: number): number {
    const { symbols } = this;
    this.outer ??= outerSymbols(symbols);
    let found = countStartedBy(symbols, at) - 1;
    while (found >= 0 && (symbols[found]!.span.end <= at || NOT_AROUND.has(symbols[found]!.kind)))
      found = this.outer[found]!;
    return found;
  }

  /** Variables that are made by what the pattern finds. */
  variablesOf(maker: RegExp): ReadonlySet<string> {
    let known = this.variables.get(maker);
    if (known === undefined) {
      known = new Set([...this.text.matchAll(maker)].flatMap(({ index }) => assignedBefore(this.text, index) ?? []));
      this.variables.set(maker, known);
    }
    return known;
  }

  /** The symbol that an annotation before it belongs to: the first one whose name follows. */
  symbolAfter(at: number, isMeant: (symbol: CodeSymbol) => boolean): number | undefined {
    const { places } = this.it;
    this.names ??= places.map((_, i) => i).sort((a, b) => places[a]! - places[b]!);
    for (const i of this.names) if (places[i]! > at && isMeant(this.symbols[i]!)) return i;
    return undefined;
  }

  /** Whether the use is an annotation, a decorator or an attribute. */
  isAnnotation({ start }: NamedUse): boolean {
    const before = this.text.slice(Math.max(0, start - 80), start).trimEnd();
    return before.endsWith("@") || (ATTRIBUTES[this.language]?.test(before) ?? false);
  }
}

/** A longer name is data. */
const MAX_NAME = 200;

const NOT_AROUND: ReadonlySet<string> = new Set(["use", "package"]);

/** For each symbol, the last one before it that has not ended where it begins; -1 for none. */
function outerSymbols(symbols: readonly CodeSymbol[]): number[] {
  const open: number[] = [];
  return symbols.map(({ span }, i) => {
    while (open.length > 0 && symbols[open.at(-1)!]!.span.end <= span.start) open.pop();
    const outer = open.at(-1) ?? -1;
    open.push(i);
    return outer;
  });
}

/** Symbols are in the order of their starts. */
function countStartedBy(symbols: readonly CodeSymbol[], at: number): number {
  let [low, high] = [0, symbols.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (symbols[middle]!.span.start <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Languages in which a call needs no brackets. */
const BARE_CALLS: ReadonlySet<string> = new Set(["ruby", "elixir"]);
/** What precedes an attribute in square brackets. */
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  csharp: /[[,]$/,
  php: /#\[(?:[^\]]*,)?\s*\\?$/,
  rust: /#\[(?:\w+::)*$/,
};

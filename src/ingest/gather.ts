/** Sorts the captures of an `edges.scm` into what they speak of, one entry for each place of the text. */
import type { EdgeKind, EdgeRole, ImportItem, LanguageEdges, RawEdges } from "../model/edges.ts";
import type { Stretch } from "./scopes.ts";

/** A name with what is written about its value. */
export interface Typed {
  readonly at: number;
  readonly name: string;
  readonly type?: Stretch;
  readonly value?: Stretch;
  /** One of the value's elements. */
  readonly item?: boolean;
  /** The key that is taken out of the value. */
  readonly of?: Stretch;
}

export interface Use {
  readonly at: number;
  readonly end: number;
  readonly name: string;
  readonly role: "ref" | "member" | "key";
  readonly call: boolean;
  readonly recv?: Stretch;
}

export interface Gathered {
  readonly uses: ReadonlyMap<number, Use>;
  /** Names that a statement exports from this very file. */
  readonly exported: readonly { readonly at: number; readonly name: string }[];
  readonly heritage: ReadonlyMap<number, EdgeKind>;
  readonly scopes: readonly (Stretch & { readonly fn: boolean })[];
  readonly locals: readonly Typed[];
  readonly fields: readonly Typed[];
  readonly results: readonly Typed[];
  readonly returns: readonly Stretch[];
  readonly imports: readonly ImportItem[];
  inImport(place: number): boolean;
}

type Match = Partial<Record<EdgeRole, Stretch>>;

export function gather(raw: RawEdges, text: string, edges: LanguageEdges): Gathered {
  const uses = new Map<number, Use>();
  const heritage = new Map<number, EdgeKind>();
  const scopes: (Stretch & { fn: boolean })[] = [];
  const [locals, fields, results]: [Typed[], Typed[], Typed[]] = [[], [], []];
  const returns: Stretch[] = [];
  const statements: Stretch[] = [];
  const defaults: ImportItem[] = [];
  const name = ({ start, end }: Stretch) => text.slice(start, end);
  const typed = (at: Stretch, { type, value, item, of }: Match): Typed => ({
    at: at.start,
    name: name(at),
    ...(type && { type }),
    ...((value ?? item) && { value: value ?? item! }),
    ...(item && { item: true }),
    ...(of && { of }),
  });
  for (const match of matchesOf(raw)) {
    const used = useOf(match, name);
    if (used) note(uses, used);
    // `{ name }` uses a name and sets a field of it.
    if (match.ref && match.key) uses.set(-1 - match.key.start, { ...used!, role: "key", call: false });
    if (match.extends) heritage.set(match.extends.end, "extends");
    if (match.implements) heritage.set(match.implements.end, "implements");
    const scope = match.scope ?? match.fn;
    if (scope) scopes.push({ ...scope, fn: match.fn !== undefined });
    if (match.local) locals.push(typed(match.local, match));
    if (match.field) fields.push(typed(match.field, match));
    if (match.result) results.push(typed(match.result, match));
    if (match.return) returns.push(match.return);
    if (match.import) statements.push(match.import);
    if (match.default) {
      const at = match.default.start;
      defaults.push({ module: "", name: name(match.default), local: "", exported: "default", at });
    }
  }
  const { imports, exported, ranges } = readImports(statements, text, edges);
  imports.push(...defaults);
  const inImport = (place: number) => ranges.around(place);
  return { uses, exported, heritage, scopes, locals, fields, results, returns, imports, inImport };
}

function* matchesOf({ roles, starts, ends, matches }: RawEdges): Iterable<Match> {
  for (let i = 0; i < roles.length; ) {
    const match: Match = {};
    const number = matches[i];
    for (; i < roles.length && matches[i] === number; i++) {
      match[roles[i]!] ??= { start: starts[i]!, end: ends[i]! };
    }
    yield match;
  }
}

function useOf(match: Match, name: (at: Stretch) => string): Use | undefined {
  const at = match.member ?? match.ref ?? match.key ?? match.call;
  if (at === undefined) return undefined;
  const role = match.member || match.recv ? "member" : match.key && !match.ref ? "key" : "ref";
  const recv = match.recv && { recv: match.recv };
  return { at: at.start, end: at.end, name: name(at), role, call: match.call !== undefined, ...recv };
}

const RANK = { ref: 0, key: 1, member: 2 } as const;

/** A plain pattern sees every name; a more telling one of the same place wins. */
function note(uses: Map<number, Use>, use: Use): void {
  const known = uses.get(use.at);
  if (known === undefined) uses.set(use.at, use);
  else uses.set(use.at, { ...(RANK[use.role] >= RANK[known.role] ? use : known), call: use.call || known.call });
}

function readImports(statements: readonly Stretch[], text: string, edges: LanguageEdges) {
  const imports: ImportItem[] = [];
  const exported: { at: number; name: string }[] = [];
  for (const { start, end } of statements) {
    for (const item of edges.imports(text.slice(start, end))) {
      const at = start + item.at;
      imports.push({ ...item, at });
      if (item.module === "" && item.name !== "") exported.push({ at, name: item.name });
    }
  }
  return { imports, exported, ranges: new Ranges(statements) };
}

/** Stretches that do not overlap, or hardly. */
class Ranges {
  private readonly sorted: readonly Stretch[];

  constructor(stretches: readonly Stretch[]) {
    this.sorted = stretches.toSorted((a, b) => a.start - b.start);
  }

  around(place: number): boolean {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sorted[middle]!.start <= place) low = middle + 1;
      else high = middle;
    }
    return low > 0 && this.sorted[low - 1]!.end > place;
  }
}

/** Search as you type: by question, name, pattern or path. */
import { Component } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { queryWords } from "../src/tools/text/excerpt.ts";
import { call, type Fields } from "./api.ts";
import {
  CopyContext,
  count,
  Excerpt,
  Failure,
  languageOf,
  type Metadata,
  markPattern,
  Notes,
  type NumberedLine,
  Path,
  visible,
} from "./parts.tsx";
import { change, link, type Params } from "./route.ts";
import { scope } from "./scope.ts";
import { useCall } from "./use-call.ts";

export const MODES = { question: "Question", name: "Name", regex: "Regex", path: "Path" } as const;
export type Mode = keyof typeof MODES;

interface Hit {
  readonly workspace?: string;
  readonly path: string;
  readonly line?: number;
  readonly language?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly score?: number;
  readonly lines: readonly NumberedLine[];
}

type Row = Readonly<Record<string, unknown>>;

interface Answer {
  readonly results?: readonly Row[];
  readonly paths?: readonly string[];
  readonly total?: number;
  readonly total_candidates?: number;
  readonly pagination?: {
    readonly has_next: boolean;
    readonly next_cursor: string | null;
    readonly total_results: number;
  };
  readonly metadata: Metadata & { readonly total_is_exact?: boolean };
}

const LIMIT = 20;
const PAGE = 100;
/** More than fit on most screens: the others are drawn when the typing pauses. */
const FIRST_DRAWN = 8;
const TYPING_MS = 150;

export function modeOf(params: URLSearchParams): Mode {
  const mode = params.get("mode") ?? "";
  return mode in MODES ? (mode as Mode) : "question";
}

/** The tool and the input of a search; undefined without a query. */
function request(params: URLSearchParams): { tool: string; input: Fields } | undefined {
  const query = params.get("q") ?? "";
  if (query.trim() === "") return undefined;
  const at = scope(params);
  const filters = { language: params.get("lang") ?? undefined, path: params.get("in") ?? undefined };
  const limit = Number(params.get("limit")) || LIMIT;
  switch (modeOf(params)) {
    case "question":
      return {
        tool: "search_code",
        input: { query, limit, format: "text", ...filters, glob: params.get("glob") ?? undefined, ...at },
      };
    case "name":
      return { tool: "locate_symbol", input: { name: query, limit, format: "text", ...filters, ...at } };
    case "regex":
      return {
        tool: "regex_search",
        input: {
          pattern: query,
          page_size: PAGE,
          context: 1,
          ...filters,
          glob: params.get("glob") ?? undefined,
          ...at,
        },
      };
    case "path":
      return { tool: "page_paths", input: { words: query, limit: 200, ...at } };
  }
}

/** A further page leaves those before as they are. */
const HITS = new WeakMap<Answer, readonly Hit[]>();

function hitsOf(answer: Answer): readonly Hit[] {
  const known = HITS.get(answer);
  if (known !== undefined) return known;
  const { results = [], paths = [] } = answer;
  const hits = [...paths.map((path) => ({ path, lines: [] })), ...results.map(hitOf)];
  HITS.set(answer, hits);
  return hits;
}

function hitOf(row: Row): Hit {
  const path = String(row.path ?? row.file);
  const own = row.lines as readonly NumberedLine[] | undefined;
  return {
    path,
    line: row.line_start as number,
    lines: own ?? textLines(row),
    ...(typeof row.workspace === "string" && { workspace: row.workspace }),
    ...(typeof row.language === "string" && { language: row.language }),
    ...(typeof row.kind === "string" && { kind: row.kind }),
    ...(typeof (row.qualified_name ?? row.name ?? row.breadcrumb) === "string" && {
      name: String(row.qualified_name ?? row.name ?? row.breadcrumb),
    }),
    ...(typeof row.score === "number" && row.snippet_start === undefined && { score: row.score }),
  };
}

function textLines(row: Row): NumberedLine[] {
  const text = row.snippet ?? row.signature;
  const first = Number(row.snippet_start ?? row.line_start);
  return typeof text === "string" ? text.split("\n").map((line, at) => ({ number: first + at, text: line })) : [];
}

export function SearchView({ params }: { readonly params: URLSearchParams }) {
  const asked = request(params);
  const { data, error, loading } = useCall<Answer>(asked?.tool ?? "", asked?.input);
  const [more, setMore] = useState<{ readonly of: Answer | undefined; readonly pages: readonly Answer[] }>(NONE);
  const pages = data === undefined ? [] : [data, ...(more.of === data ? more.pages : [])];
  const last = pages.at(-1);
  const hits = useMemo(() => pages.flatMap(hitsOf), [last]);
  const next = last?.pagination?.has_next ? last.pagination.next_cursor : null;
  const [whole, setWhole] = useState<Answer>();
  useEffect(() => {
    const later = setTimeout(() => setWhole(data), TYPING_MS);
    return () => clearTimeout(later);
  }, [data]);
  // The first results of a new question are shown, however far the list was scrolled. A limit only makes the list longer.
  useLayoutEffect(() => {
    if (!params.has("limit")) document.getElementById("main")?.scrollTo(0, 0);
  }, [data]);
  const loadMore = async () => {
    const page = await call<Answer>(asked!.tool, { ...asked!.input, cursor: next });
    setMore({ of: data, pages: [...pages.slice(1), page] });
  };
  if (asked === undefined) return <Welcome />;
  const query = params.get("q")!;
  const mark = markOf(modeOf(params), query);
  const why = modeOf(params) === "question" ? { q: query } : undefined;
  return (
    <>
      <h1 class="hidden">Results for {visible(query)}</h1>
      <div class="bar">
        <p role="status" class={loading ? "loading" : ""}>
          {data ? summary(data, hits.length) : loading ? "Searching…" : ""}
        </p>
        <Chips params={params} hits={hits} />
        <CopyContext tool="get_code_context" input={{ query, ...scope(params) }} />
      </div>
      {error && <Failure error={error} />}
      <Notes metadata={data?.metadata} />
      {data && hits.length === 0 && <Nothing metadata={data.metadata} />}
      {pages.map((answer, at) => (
        <HitPage key={at} answer={answer} mark={mark} why={why} most={whole === data ? undefined : FIRST_DRAWN} />
      ))}
      {next !== null && <More key={hits.length} load={loadMore} />}
      {next === null &&
        modeOf(params) === "question" &&
        (data?.total_candidates ?? 0) > hits.length &&
        hits.length < 200 && (
          <button
            type="button"
            class="more"
            onClick={() => change({ limit: Math.min(200, hits.length * 2) }, "replace")}
          >
            Show more results
          </button>
        )}
    </>
  );
}

const NONE = { of: undefined, pages: [] };

function markOf(mode: Mode, query: string): RegExp | undefined {
  if (mode !== "regex") return markPattern(queryWords(query));
  try {
    return new RegExp(query, "gu");
  } catch {
    return undefined;
  }
}

function summary({ total, total_candidates: candidates, pagination, metadata }: Answer, shown: number): string {
  if (pagination !== undefined) {
    const isExact = metadata.total_is_exact !== false;
    return `${shown.toLocaleString("en")} of ${isExact ? "" : "more than "}${count(pagination.total_results, "match").replace("matchs", "matches")}`;
  }
  if (total !== undefined) return `${shown} of ${count(total, "file")}`;
  return `${shown} of ${count(candidates ?? shown, "candidate")}`;
}

interface HitListProps {
  readonly answer: Answer;
  readonly mark: RegExp | undefined;
  readonly why: Params | undefined;
  /** Absent: all. */
  readonly most: number | undefined;
}

/** Far from the screen a page keeps only its height: removing 10,000 results takes a browser 18 s. */
function HitPage(props: HitListProps) {
  const list = useRef<HTMLOListElement>(null);
  const { answer } = props;
  const [folded, fold] = useState<{ readonly answer: Answer; readonly height: number }>();
  useEffect(() => {
    const box = list.current!;
    const near = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)!.isIntersecting) fold(undefined);
        else if (!box.contains(document.activeElement)) fold({ answer, height: box.offsetHeight });
      },
      { root: document.getElementById("main"), rootMargin: "1000px" },
    );
    near.observe(box);
    return () => near.disconnect();
  }, [answer]);
  const isFolded = folded?.answer === answer;
  return (
    <ol class="hits" ref={list} style={isFolded ? { height: folded.height } : undefined}>
      {!isFolded && <HitList {...props} />}
    </ol>
  );
}

/** Drawn once per answer: neither a key nor a further page draws it again. */
class HitList extends Component<HitListProps> {
  override shouldComponentUpdate({ answer, most }: HitListProps): boolean {
    return answer !== this.props.answer || most !== this.props.most;
  }

  override render({ answer, mark, why, most }: HitListProps) {
    const hits = hitsOf(answer).slice(0, most);
    return hits.map((hit, at) => <HitRow key={at} hit={hit} mark={mark} why={why} />);
  }
}

function HitRow({
  hit,
  mark,
  why,
}: {
  readonly hit: Hit;
  readonly mark: RegExp | undefined;
  readonly why: Params | undefined;
}) {
  const where: Params = { path: hit.path, line: hit.line, ...(hit.workspace !== undefined && { ws: hit.workspace }) };
  const file = link("file", where);
  return (
    <li class="hit">
      <div class="head">
        <a href={file} class="main" data-hit>
          <Path path={hit.path} />
          {hit.line !== undefined && <span class="line">:{hit.line}</span>}
          {hit.name !== undefined && <span class="name">{visible(hit.name)}</span>}
        </a>
        {hit.kind !== undefined && <span class="badge">{hit.kind}</span>}
        {hit.kind !== undefined && hit.line !== undefined && hit.kind !== "file" && (
          <a href={link("symbol", { ...where, path: undefined, line: undefined, at: `${hit.path}:${hit.line}` })}>
            symbol
          </a>
        )}
        {why !== undefined && <a href={link("why", { ...why, ...where })}>why</a>}
        {hit.workspace !== undefined && <span class="badge">{visible(hit.workspace)}</span>}
      </div>
      {hit.lines.length > 0 && <Excerpt lines={hit.lines} language={languageOf(hit.path)} mark={mark} />}
    </li>
  );
}

/** Loads the next page when it scrolls into view, and on a click. */
function More({ load }: { readonly load: () => Promise<void> }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // A busy page gets several changes at once: the last one counts.
    const seen = new IntersectionObserver((entries) => {
      if (!entries.at(-1)!.isIntersecting) return;
      seen.disconnect();
      void load();
    });
    seen.observe(button.current!);
    return () => seen.disconnect();
  }, []);
  return (
    <button type="button" ref={button} class="more" onClick={() => void load()}>
      Show more results
    </button>
  );
}

/** The filters of the address, by the names that a query has for them. */
const FILTERS: Readonly<Record<string, string>> = { lang: "lang", in: "path", glob: "file" };

/** The value of each filter that a result has. */
const NARROWING: Readonly<Record<string, (hit: Hit) => string | undefined>> = {
  lang: ({ language }) => language,
  in: ({ path }) => (path.includes("/") ? path.split("/")[0] : undefined),
  glob: ({ path }) => /\.[^./]+$/.exec(path)?.[0]?.replace(".", "*."),
};

/** Active filters, and those that would narrow the shown results. */
function Chips({ params, hits }: { readonly params: URLSearchParams; readonly hits: readonly Hit[] }) {
  const active = Object.keys(FILTERS).filter((name) => params.get(name));
  const mode = modeOf(params);
  const offered = Object.entries(NARROWING).flatMap(([name, read]) => {
    const values = [...new Set(hits.map(read))].filter((value) => value !== undefined);
    if (mode === "path" || (mode === "name" && name === "glob")) return [];
    return active.includes(name) || values.length < 2 ? [] : values.slice(0, 6).map((value) => ({ name, value }));
  });
  return (
    <ul class="chips" aria-label="Filters">
      {active.map((name) => (
        <li key={name}>
          <button type="button" class="chip on" onClick={() => change({ [name]: undefined })}>
            {FILTERS[name]}: {visible(params.get(name)!)} <span aria-hidden="true">×</span>
            <span class="hidden">remove filter</span>
          </button>
        </li>
      ))}
      {offered.map(({ name, value }) => (
        <li key={`${name}:${value}`}>
          <button type="button" class="chip" onClick={() => change({ [name]: value })}>
            {FILTERS[name]}: {visible(value)}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Nothing({ metadata }: { readonly metadata: Metadata }) {
  const near = metadata.did_you_mean ?? [];
  return (
    <div class="empty">
      <p>Nothing found.</p>
      {near.length > 0 && (
        <p>
          Did you mean{" "}
          {near.map((name) => (
            <a key={name} href={link("search", { q: name })}>
              {visible(name)}
            </a>
          ))}
        </p>
      )}
    </div>
  );
}

function Welcome() {
  return (
    <div class="welcome">
      <h1>Search this repository</h1>
      <p>Ask in plain words, type a name, a path or a pattern.</p>
      <dl class="keys">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>search</dd>
        <dt>
          <kbd>↓</kbd> <kbd>↑</kbd>
        </dt>
        <dd>move between results</dd>
        <dt>
          <kbd>Enter</kbd>
        </dt>
        <dd>open</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>all keys</dd>
      </dl>
    </div>
  );
}

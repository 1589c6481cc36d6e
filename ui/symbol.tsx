/** A symbol: its definition, calls, implementations, tests, and what a change of it affects. */
import { CUT_MARK } from "../src/text/snippet.ts";
import { CallGraph } from "./call-graph.tsx";
import { CopyContext, count, Excerpt, Failure, languageOf, type Metadata, Notes, Path, visible } from "./parts.tsx";
import { References } from "./references.tsx";
import { link } from "./route.ts";
import { scope } from "./scope.ts";
import { useCall } from "./use-call.ts";

interface SymbolAnswer {
  readonly results: readonly {
    readonly path: string;
    readonly line_start: number;
    readonly line_end: number;
    readonly kind: string;
    readonly name: string;
    readonly qualified_name: string;
    readonly signature?: string;
    readonly visibility?: string;
    readonly doc?: string;
    readonly body_preview?: string;
    readonly related_symbols?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly path: string;
      readonly line: number;
    }[];
  }[];
  readonly metadata: Metadata;
}

const TYPES = new Set([
  "class",
  "interface",
  "trait",
  "protocol",
  "struct",
  "enum",
  "type",
  "object",
  "record",
  "union",
]);

/** `at` is any way to name a symbol: `path:line`, `path#Name` or a name. */
export function SymbolView({ params }: { readonly params: URLSearchParams }) {
  const at = params.get("at") ?? "";
  const input = { name: at, limit: 1, detail_level: "context", ...scope(params) };
  const { data, error } = useCall<SymbolAnswer>("locate_symbol", at === "" ? undefined : input);
  if (at === "") return <p class="empty">No symbol is named in the address.</p>;
  if (error) return <Failure error={error} />;
  if (data === undefined) return <p role="status">Loading…</p>;
  const [found] = data.results;
  if (found === undefined)
    return (
      <p class="empty">
        {visible(at)} is not in the index of this ref. <a href={link("search", { q: at })}>Search for it</a>
      </p>
    );
  const { path, line_start: line, kind } = found;
  const symbol = `${path}:${line}`;
  const source = found.body_preview ?? found.signature ?? "";
  const shown = source.split(CUT_MARK)[0]!.trimEnd();
  const lines = shown.split("\n").map((text, i) => ({ number: line + i, text }));
  const left = source.includes(CUT_MARK) ? found.line_end - lines.at(-1)!.number : 0;
  return (
    <>
      <div class="bar">
        <h1>
          {visible(found.qualified_name)} <span class="badge">{kind}</span>
        </h1>
        <a href={link("file", { path, line })}>
          <Path path={path} />:{line}
        </a>
        <CopyContext
          tool="get_code_context"
          input={{ query: found.qualified_name, strategy: "depth", ...scope(params) }}
        />
      </div>
      <Notes metadata={data.metadata} />
      {/* Uses and effects of the symbol before would be taken for this one's. */}
      <div class="columns two" key={symbol}>
        <div>
          <section>
            <h2>Definition</h2>
            {found.doc !== undefined && !found.body_preview?.includes(found.doc.split("\n")[0]!) && (
              <p class="doc">{visible(found.doc)}</p>
            )}
            <Excerpt lines={lines} language={languageOf(path)} />
            {left > 0 && (
              <p>
                <a href={link("file", { path, line: lines.at(-1)!.number + 1 })}>{count(left, "more line")}</a>
              </p>
            )}
          </section>
          <CallGraph symbol={symbol} params={params} />
          {TYPES.has(kind) &&
            (["implements", "extends"] as const).map((edge) => (
              <section key={edge}>
                <h2>{edge === "implements" ? "Implemented by" : "Extended by"}</h2>
                <References symbol={symbol} params={params} kind={edge} />
              </section>
            ))}
        </div>
        <div>
          <Impact symbol={symbol} params={params} />
          {(found.related_symbols ?? []).length > 0 && (
            <section>
              <h2>Related</h2>
              <ul class="plain">
                {found.related_symbols!.map((one) => (
                  <li key={`${one.path}:${one.line}`}>
                    <a href={symbolLink(one.path, one.line)}>
                      <span class="kind">{one.kind}</span> {visible(one.name)}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          )}
          <section>
            <h2>Uses</h2>
            <References symbol={symbol} params={params} />
          </section>
        </div>
      </div>
    </>
  );
}

export function symbolLink(path: string, line: number): string {
  return link("symbol", { at: `${path}:${line}` });
}

export interface LikelyTest {
  readonly path: string;
  readonly reason: string;
}

export function LikelyTests({ tests }: { readonly tests: readonly LikelyTest[] }) {
  if (tests.length === 0) return <p class="dim">No test is known.</p>;
  return (
    <ul class="plain">
      {tests.map(({ path, reason }) => (
        <li key={path}>
          <a href={link("file", { path })}>
            <Path path={path} />
          </a>{" "}
          <span class="badge">{reason.replaceAll("_", " ")}</span>
        </li>
      ))}
    </ul>
  );
}

interface ImpactAnswer {
  readonly affected: readonly {
    readonly qualified_name: string;
    readonly path: string;
    readonly line_start: number;
    readonly distance: number;
    readonly resolution: string;
  }[];
  readonly total_affected: number;
  readonly likely_tests: readonly LikelyTest[];
}

function Impact({ symbol, params }: { readonly symbol: string; readonly params: URLSearchParams }) {
  const { data, error } = useCall<ImpactAnswer>("impact", { symbol_name: symbol, limit: 30, ...scope(params) });
  if (error) return error.code === "no_edges_available" ? null : <Failure error={error} />;
  if (data === undefined) return <p role="status">Finding what a change affects…</p>;
  return (
    <>
      <section>
        <h2>A change affects {count(data.total_affected, "place")}</h2>
        <ul class="plain">
          {data.affected.map((one, at) => (
            <li key={at}>
              <a href={link("file", { path: one.path, line: one.line_start })}>{visible(one.qualified_name)}</a>{" "}
              <span class="dim">{one.distance === 1 ? "direct" : `${one.distance} steps`}</span>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>Tests</h2>
        <LikelyTests tests={data.likely_tests} />
      </section>
    </>
  );
}

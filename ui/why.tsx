/** Why a result has its rank, as bars that sum to its score, and why a line is not among the results. */
import { useState } from "preact/hooks";
import { CopyContext, Failure, type Metadata, Path, visible } from "./parts.tsx";
import { change, link } from "./route.ts";
import { scope } from "./scope.ts";
import { useCall } from "./use-call.ts";

interface Explanation {
  readonly result: {
    readonly path: string;
    readonly line_start: number;
    readonly line_end: number;
    readonly name?: string;
  };
  readonly scoring: Readonly<Record<string, number>>;
  readonly scoring_details: Readonly<Record<string, string>>;
  readonly metadata: Metadata;
}

interface WhyNot {
  readonly verdict: "shown" | "ranked_lower" | "not_retrieved" | "no_such_line" | "not_indexed";
  readonly rank?: number;
  readonly pool?: number;
  readonly lineCount?: number;
  readonly skipped?: string;
  readonly wordsFound?: readonly string[];
  readonly wordsMissing?: readonly string[];
  readonly factors?: readonly {
    readonly factor: string;
    readonly value: number;
    readonly lastShown: number;
    readonly reason: string;
  }[];
}

export function WhyView({ params }: { readonly params: URLSearchParams }) {
  const [query, path, line] = [params.get("q") ?? "", params.get("path") ?? "", Number(params.get("line"))];
  const isWhole = query !== "" && path !== "" && line >= 1;
  const place = { query, path, line, ...scope(params) };
  const { data: rank, error } = useCall<WhyNot>("page_why_not", isWhole ? place : undefined);
  return (
    <>
      <div class="bar">
        <h1>Why this rank</h1>
        <CopyContext tool="get_code_context" input={{ query: query || "main", ...scope(params) }} />
      </div>
      <Question params={params} />
      {!isWhole && <p class="dim">Name a query, a file and a line of it to see where that line ranks, and why.</p>}
      {error && <Failure error={error} />}
      {rank && (
        <p role="status">
          <a href={link("file", { path, line })}>
            <Path path={path} />:{line}
          </a>{" "}
          {verdict(rank)}
        </p>
      )}
      {rank?.factors !== undefined && <Differences factors={rank.factors} />}
      {rank?.rank !== undefined && <Bars params={params} place={{ query, path, line }} />}
    </>
  );
}

function Question({ params }: { readonly params: URLSearchParams }) {
  const [query, setQuery] = useState(params.get("q") ?? "");
  const [path, setPath] = useState(params.get("path") ?? "");
  const [line, setLine] = useState(params.get("line") ?? "");
  const field = (label: string, value: string, set: (text: string) => void) => (
    <label>
      {label} <input value={value} onInput={(event) => set(event.currentTarget.value)} required />
    </label>
  );
  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        change({ q: query, path, line });
      }}
    >
      {field("Query", query, setQuery)}
      {field("File", path, setPath)}
      {field("Line", line, setLine)}
      <button type="submit">Explain</button>
    </form>
  );
}

function verdict({
  verdict: word,
  rank,
  pool,
  lineCount,
  skipped,
  wordsFound = [],
  wordsMissing = [],
}: WhyNot): string {
  switch (word) {
    case "shown":
      return `is result ${rank}.`;
    case "ranked_lower":
      return `is result ${rank}, behind the first ten. These factors differ most from the tenth result:`;
    case "not_retrieved": {
      const found = wordsFound.length > 0 ? `It contains ${wordsFound.join(", ")}. ` : "";
      return `is not among the ${pool} candidates. ${found}Missing: ${wordsMissing.join(", ") || "nothing"}.`;
    }
    case "no_such_line":
      return `does not exist: the file has ${lineCount} lines.`;
    case "not_indexed":
      return skipped === undefined
        ? "is not in the index of this ref."
        : `is not indexed: ${skipped.replaceAll("_", " ")}.`;
  }
}

function Differences({ factors }: { readonly factors: NonNullable<WhyNot["factors"]> }) {
  return (
    <table class="differences">
      <thead>
        <tr>
          <th scope="col">Factor</th>
          <th scope="col">Here</th>
          <th scope="col">Tenth result</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {factors.map(({ factor, value, lastShown, reason }) => (
          <tr key={factor}>
            <td>{factor.replaceAll("_", " ")}</td>
            <td>{value.toFixed(2)}</td>
            <td>{lastShown.toFixed(2)}</td>
            <td>{visible(reason)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bars({
  params,
  place,
}: {
  readonly params: URLSearchParams;
  readonly place: { query: string; path: string; line: number };
}) {
  const { query, path, line } = place;
  const input = { query, result_path: path, result_line_start: line, limit: 200, ...scope(params) };
  const { data, error } = useCall<Explanation>("explain_ranking", input);
  if (error) return <Failure error={error} />;
  if (data === undefined) return <p role="status">Explaining…</p>;
  const { total = 0, ...parts } = data.scoring;
  const rows = Object.entries(parts).filter(([, value]) => value !== 0);
  const most = Math.max(...rows.map(([, value]) => Math.abs(value)));
  const reason = (factor: string) =>
    data.scoring_details[`${factor}_reason`] ?? data.scoring_details[`${factor}_source`] ?? "";
  return (
    <dl class="bars">
      {rows.map(([factor, value]) => (
        <div key={factor}>
          <dt>{factor.replaceAll("_", " ")}</dt>
          <dd>
            <span
              class={value < 0 ? "bar-value minus" : "bar-value"}
              style={{ width: `${(100 * Math.abs(value)) / most}%` }}
            />
            <b>{value.toFixed(2)}</b> <span class="dim">{visible(reason(factor))}</span>
          </dd>
        </div>
      ))}
      <div class="total">
        <dt>total</dt>
        <dd>
          <b>{total.toFixed(2)}</b>
        </dd>
      </div>
    </dl>
  );
}

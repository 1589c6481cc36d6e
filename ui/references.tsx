/** The uses of a symbol, grouped by file, each with how sure it is. */
import { useState } from "preact/hooks";
import { call, type Fields } from "./api.ts";
import { count, Failure, type Metadata, Path, visible } from "./parts.tsx";
import { link } from "./route.ts";
import { scope } from "./scope.ts";
import { useCall } from "./use-call.ts";

interface Reference {
  readonly path: string;
  readonly line_start: number;
  readonly edge_type: string;
  readonly resolution: string;
  readonly via?: string;
  readonly context: string;
}

interface ReferencesAnswer {
  readonly references: readonly Reference[];
  readonly total_references: number;
  readonly certain_references: number;
  readonly name_only_references: number;
  readonly possible_references?: number;
  readonly text_matches?: readonly { readonly path: string; readonly line_start: number; readonly context: string }[];
  readonly pagination?: { readonly has_next: boolean; readonly next_cursor: string | null };
  readonly metadata: Metadata;
}

const PAGE = 100;

export function certainty({ resolution, via }: Pick<Reference, "resolution" | "via">): string {
  if (via !== undefined) return `via ${via}`;
  return resolution === "name_only" ? "same name" : "certain";
}

export function References(by: { readonly symbol: string; readonly params: URLSearchParams; readonly kind?: string }) {
  const input: Fields = { symbol_name: by.symbol, limit: PAGE, kind: by.kind, ...scope(by.params) };
  const { data, error, loading } = useCall<ReferencesAnswer>("find_references", input);
  const [more, setMore] = useState<readonly ReferencesAnswer[]>([]);
  if (error)
    return error.code === "no_edges_available" ? (
      <p class="dim">{visible(error.message)}</p>
    ) : (
      <Failure error={error} />
    );
  if (data === undefined) return <p role="status">{loading ? "Finding uses…" : ""}</p>;
  const all = [data, ...more];
  const cursor = all.at(-1)!.pagination?.next_cursor ?? null;
  const groups = Map.groupBy(
    all.flatMap(({ references }) => references),
    ({ path }) => path,
  );
  return (
    <div class="references">
      <p class="dim">
        {count(data.total_references, "use")}: {data.certain_references} certain, {data.possible_references ?? 0}{" "}
        possible, {data.name_only_references} by name only
      </p>
      <Coverage metadata={data.metadata} />
      {[...groups].map(([path, uses]) => (
        <section key={path}>
          <h3>
            <Path path={path} /> <span class="dim">{uses.length}</span>
          </h3>
          <ul>
            {uses.map((use, at) => (
              <li key={at}>
                <a href={link("file", { path, line: use.line_start })}>
                  <span class="number">{use.line_start}</span> <code>{visible(use.context.slice(0, 300))}</code>
                </a>
                <span class={`badge c-${certainty(use).split(" ")[0]}`}>{certainty(use)}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {(data.text_matches ?? []).map((one) => (
        <p key={`${one.path}:${one.line_start}`}>
          <a href={link("file", { path: one.path, line: one.line_start })}>
            <Path path={one.path} />:{one.line_start}
          </a>{" "}
          <code>{visible(one.context.slice(0, 300))}</code>
        </p>
      ))}
      {cursor !== null && (
        <button
          type="button"
          class="more"
          onClick={async () =>
            setMore([...more, await call<ReferencesAnswer>("find_references", { ...input, cursor })])
          }
        >
          Show more uses
        </button>
      )}
    </div>
  );
}

function Coverage({ metadata }: { readonly metadata: Metadata }) {
  const gaps = metadata.coverage?.without_references ?? [];
  if (gaps.length === 0) return null;
  return (
    <p class="dim">
      Not covered: {gaps.map(({ language, files }) => `${language} (${count(files, "file")})`).join(", ")}
    </p>
  );
}

/** What a name in a file means: its definitions, and the uses of one of them. */

import { Failure, type Metadata, Path, visible } from "./parts.tsx";
import { References } from "./references.tsx";
import { change, link } from "./route.ts";
import { scope } from "./scope.ts";
import { useCall } from "./use-call.ts";

export interface Definition {
  readonly path: string;
  readonly line_start: number;
  readonly kind?: string;
  readonly qualified_name?: string;
  readonly signature?: string;
}

interface DefinitionAnswer {
  readonly results: readonly Definition[];
  readonly metadata: Metadata;
}

export function NamePanel(by: {
  readonly name: string;
  readonly path: string;
  readonly line: number | undefined;
  readonly params: URLSearchParams;
}) {
  const { name, path, params } = by;
  const { data, error } = useCall<DefinitionAnswer>("locate_symbol", {
    name,
    limit: 20,
    format: "text",
    ...scope(params),
  });
  const found = data?.results.toSorted((a, b) => Number(b.path === path) - Number(a.path === path)) ?? [];
  const [first] = found;
  return (
    <section class="panel" aria-label={`Definition and uses of ${name}`}>
      <header>
        <h2>{visible(name)}</h2>
        <button type="button" onClick={() => change({ name: undefined })} aria-label="Close">
          ×
        </button>
      </header>
      {error && <Failure error={error} />}
      {data && first === undefined && (
        <p>
          No definition is indexed. <a href={link("search", { q: name, mode: "regex" })}>Search its text</a>
        </p>
      )}
      <ul class="definitions">
        {found.map((one) => (
          <li key={`${one.path}:${one.line_start}`}>
            <a href={link("file", { path: one.path, line: one.line_start })}>
              <span class="kind">{one.kind}</span> {visible(one.qualified_name ?? name)}
              <small>
                <Path path={one.path} />:{one.line_start}
              </small>
            </a>
          </li>
        ))}
      </ul>
      {first !== undefined && <References symbol={`${first.path}:${first.line_start}`} params={params} />}
    </section>
  );
}

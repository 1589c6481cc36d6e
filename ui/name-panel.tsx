/** What a name in a file means: its definitions, and the uses of one of them. */

import { Failure, type Metadata, Path, visible } from "./parts.tsx";
import { References } from "./references.tsx";
import { change, link } from "./route.ts";
import { scope } from "./scope.ts";
import { symbolLink } from "./symbol.tsx";
import { useCall } from "./use-call.ts";

export interface Definition {
  readonly path: string;
  readonly line_start: number;
  readonly kind?: string;
  readonly qualified_name?: string;
  readonly signature?: string;
}

interface DefinitionAnswer {
  /** Otherwise the results only share the name. */
  readonly is_certain: boolean;
  readonly results: readonly Definition[];
  readonly metadata: Metadata;
}

export function NamePanel(by: {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  readonly params: URLSearchParams;
}) {
  const { name, path, line, params } = by;
  const { data, error } = useCall<DefinitionAnswer>("page_definition", { path, line, name, ...scope(params) });
  const found = data?.results ?? [];
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
      {data && first !== undefined && !data.is_certain && <p class="dim">Symbols of this name:</p>}
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
      {first !== undefined && (
        <>
          <a href={symbolLink(first.path, first.line_start)}>Calls, tests and impact</a>
          <References symbol={`${first.path}:${first.line_start}`} params={params} />
        </>
      )}
    </section>
  );
}

/** The symbols of a file as a tree; the one that encloses the selected line is marked. */
import { count, visible } from "./parts.tsx";
import { link } from "./route.ts";
import { scope } from "./scope.ts";
import { useCall } from "./use-call.ts";

interface OutlineNode {
  readonly kind: string;
  readonly name: string;
  readonly signature?: string;
  readonly line_start: number;
  readonly name_line?: number;
  readonly line_end: number;
  readonly children?: readonly OutlineNode[];
}

/** More nodes than these make the page slow; the rest is counted. */
const MOST_NODES = 2_000;

export function Outline(by: {
  readonly path: string;
  readonly params: URLSearchParams;
  readonly line: number | undefined;
}) {
  const { path, params, line } = by;
  const { data, error } = useCall<{
    readonly symbols: readonly OutlineNode[];
    readonly metadata: { symbol_count: number };
  }>("get_file_outline", { path, ...scope(params) });
  if (error || data === undefined || data.symbols.length === 0) return null;
  const room = { left: MOST_NODES };
  const total = data.metadata.symbol_count;
  return (
    <nav class="outline" aria-label="Outline">
      <h2>Outline</h2>
      <Nodes nodes={data.symbols} path={path} line={line} room={room} />
      {total > MOST_NODES && <p class="dim">{count(total - MOST_NODES, "more symbol")}</p>}
    </nav>
  );
}

function Nodes(by: {
  readonly nodes: readonly OutlineNode[];
  readonly path: string;
  readonly line: number | undefined;
  readonly room: { left: number };
}) {
  const { nodes, path, line, room } = by;
  const shown = nodes.filter(({ kind }) => kind !== "use").filter(() => room.left-- > 0);
  return (
    <ul>
      {shown.map((node) => (
        <li key={`${node.line_start}:${node.name}`}>
          <a
            href={link("file", { path, line: node.name_line ?? node.line_start })}
            class={isAround(node, line) ? "on" : ""}
            title={node.signature === undefined ? undefined : visible(node.signature)}
          >
            <span class={`kind k-${node.kind}`}>{node.kind}</span> {visible(node.name)}
          </a>
          {node.children !== undefined && node.children.length > 0 && (
            <Nodes nodes={node.children} path={path} line={line} room={room} />
          )}
        </li>
      ))}
    </ul>
  );
}

function isAround({ line_start: start, line_end: end }: OutlineNode, line: number | undefined): boolean {
  return line !== undefined && line >= start && line <= end;
}

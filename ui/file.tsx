/** A file: its source, of which only the visible lines exist in the document, its outline, and what a name means. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { LineStates, LONGEST_LINE } from "./highlight.ts";
import { NamePanel } from "./name-panel.tsx";
import { Outline } from "./outline.tsx";
import { CopyContext, count, Failure, type Metadata, Notes, Path, Source } from "./parts.tsx";
import { change, currentRoute, link } from "./route.ts";
import { scope } from "./scope.ts";
import { useCall } from "./use-call.ts";

interface FileAnswer {
  readonly path: string;
  readonly language: string;
  readonly text: string;
  /** The directory on disk; null where the file is not read from one, as of another ref. */
  readonly root: string | null;
  readonly metadata: Metadata;
}

/** As in app.css. */
const LINE_HEIGHT = 20;
const OVERSCAN = 30;

interface LineSpan {
  readonly first: number;
  readonly last: number;
}

function spanOf(params: URLSearchParams): LineSpan | undefined {
  const [, first, last] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(params.get("line") ?? "") ?? [];
  return first === undefined ? undefined : { first: Number(first), last: Number(last ?? first) };
}

export function FileView({ params }: { readonly params: URLSearchParams }) {
  const path = params.get("path") ?? "";
  // This call may come before the offer to index a repository, so it must not start a job itself.
  const policy = params.has("ref") ? {} : { freshness_policy: "best_effort" };
  const input = path === "" ? undefined : { path, ...policy, ...scope(params) };
  const { data, error } = useCall<FileAnswer>("page_file", input);
  const lines = useMemo(() => data?.text.replace(/\r?\n$/, "").split(/\r?\n/) ?? [], [data]);
  const name = params.get("name");
  if (path === "") return <p class="empty">No file is named in the address.</p>;
  if (error) return <Failure error={error} />;
  if (data === undefined) return <p role="status">Loading…</p>;
  const span = spanOf(params);
  return (
    <>
      <div class="bar">
        <h1>
          <Path path={data.path} />
        </h1>
        <span class="dim">{count(lines.length, "line")}</span>
        <OpenIn file={data} line={span?.first ?? 1} />
        <CopyContext tool="get_code_context" input={{ query: path, path, ...scope(params) }} />
      </div>
      <Notes metadata={data.metadata} />
      <div class="split">
        <Code lines={lines} language={data.language} span={span} />
        <aside>
          {name !== null && span !== undefined && (
            <NamePanel key={`${name}:${span?.first}`} name={name} path={path} line={span.first} params={params} />
          )}
          <Outline path={path} params={params} line={span?.first} />
        </aside>
      </div>
    </>
  );
}

/** The file of the working tree; other refs are not on disk. */
function OpenIn({ file, line }: { readonly file: FileAnswer; readonly line: number }) {
  const [copied, setCopied] = useState("");
  if (file.root === null) return null;
  const path = `${file.root}/${file.path}`;
  const target = encodeURI(path).replace(/[?#]/g, encodeURIComponent);
  // A page cannot start a program, and this one must not be able to: the command is for the reader's own terminal.
  const command = `\${EDITOR:-vi} +${line} '${path.replaceAll("'", "'\\''")}'`;
  return (
    <span class="open-in">
      Open in <a href={`vscode://file${target}:${line}`}>VS Code</a>{" "}
      <a href={`idea://open?file=${encodeURIComponent(path)}&line=${line}`}>IntelliJ</a>{" "}
      <button
        type="button"
        title={`Copy: ${command}`}
        onClick={() =>
          navigator.clipboard.writeText(command).then(
            () => setCopied("Command copied"),
            (error: Error) => setCopied(error.message),
          )
        }
      >
        $EDITOR
      </button>
      <span role="status">{copied}</span>
    </span>
  );
}

function Code(by: {
  readonly lines: readonly string[];
  readonly language: string;
  readonly span: LineSpan | undefined;
}) {
  const { lines, language, span } = by;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const states = useMemo(() => new LineStates(lines, language), [lines, language]);
  const first = Math.max(0, Math.floor(top / LINE_HEIGHT) - OVERSCAN);
  const last = Math.min(lines.length, Math.ceil((top + height) / LINE_HEIGHT) + OVERSCAN);
  useLayoutEffect(() => {
    const at = box.current!;
    const measure = () => setHeight(at.clientHeight);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(at);
    // A result was opened: its arrows come next.
    if (document.activeElement?.id === "main" || document.activeElement === document.body)
      at.focus({ preventScroll: true });
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (span === undefined) return;
    const at = box.current!;
    const line = (span.first - 1) * LINE_HEIGHT;
    if (line < at.scrollTop || line > at.scrollTop + at.clientHeight - 2 * LINE_HEIGHT)
      at.scrollTop = Math.max(0, line - at.clientHeight / 3);
  }, [lines, span?.first]);
  const width = useMemo(() => lines.reduce((most, line) => Math.max(most, line.length), 0), [lines]);
  const rows = [];
  for (let at = first; at < last; at++) {
    const number = at + 1;
    const isMarked = span !== undefined && number >= span.first && number <= span.last;
    const text = lines[at]!;
    rows.push(
      <div key={number} class={isMarked ? "row on" : "row"} data-line={number}>
        <a
          class="number"
          href={link("file", { ...pathOf(), line: number })}
          data-number={number}
          tabIndex={-1}
          aria-label={`Line ${number}`}
        >
          {number}
        </a>
        <code>
          <Source tokens={states.tokens(at)} />
          {text.length > LONGEST_LINE && (
            <span class="dim"> … {(text.length - LONGEST_LINE).toLocaleString("en")} more characters</span>
          )}
        </code>
      </div>,
    );
  }
  return (
    <section
      class="code"
      ref={box}
      tabIndex={0}
      aria-label="Source"
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onClick={onCodeClick}
      onKeyDown={(event) => onCodeKey(event, lines, span)}
    >
      <div
        class="lines"
        style={{ height: `${lines.length * LINE_HEIGHT}px`, minWidth: `${Math.min(width, LONGEST_LINE) + 10}ch` }}
      >
        <div style={{ transform: `translateY(${first * LINE_HEIGHT}px)` }}>{rows}</div>
      </div>
    </section>
  );
}

function pathOf() {
  return { path: currentRoute().params.get("path") ?? "" };
}

/** A number selects a line, with Shift a range; a name opens what is known of it. */
function onCodeClick(event: MouseEvent): void {
  const target = event.target as HTMLElement;
  const number = target.closest<HTMLElement>("[data-number]")?.dataset.number;
  if (number !== undefined && event.shiftKey) {
    event.preventDefault();
    const from = spanOf(currentRoute().params)?.first ?? Number(number);
    const [first, last] = [Math.min(from, Number(number)), Math.max(from, Number(number))];
    change({ line: `${first}-${last}` });
    return;
  }
  const word = target.closest(".t-name");
  const line = target.closest<HTMLElement>("[data-line]")?.dataset.line;
  if (word !== null && line !== undefined && getSelection()?.isCollapsed !== false)
    change({ line, name: word.textContent ?? "" });
}

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 30, PageUp: -30 };

/** Arrows move the line, left and right the name in it; Enter opens the name. */
function onCodeKey(event: KeyboardEvent, lines: readonly string[], span: LineSpan | undefined): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const now = span?.first ?? 0;
  const move = MOVES[event.key];
  if (move !== undefined) {
    event.preventDefault();
    change({ line: Math.min(lines.length, Math.max(1, now + move)), name: undefined }, "replace");
    return;
  }
  if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
  const names = [...(lines[now - 1]?.slice(0, LONGEST_LINE).matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])].map(
    ([name]) => name,
  );
  if (names.length === 0) return;
  event.preventDefault();
  const at = names.indexOf(currentRoute().params.get("name") ?? "");
  const next = event.key === "ArrowRight" ? at + 1 : at < 0 ? names.length - 1 : at - 1;
  change({ name: names[(next + names.length) % names.length] }, "replace");
}

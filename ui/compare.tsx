/** Two refs, or a ref and the files on disk: changed symbols with before and after, what they affect, and likely tests. */
import { useEffect, useState } from "preact/hooks";
import { call } from "./api.ts";
import { LONGEST_LINE } from "./highlight.ts";
import { CopyButton, count, Failure, type Metadata, Notes, Path, visible } from "./parts.tsx";
import { change, link } from "./route.ts";
import { scope } from "./scope.ts";
import { type LikelyTest, LikelyTests } from "./symbol.tsx";
import { useCall } from "./use-call.ts";

interface Side {
  readonly kind: string;
  readonly qualified_name: string;
  readonly signature?: string;
  readonly path: string;
  readonly line_start: number;
}

interface SymbolChange {
  readonly symbol: string;
  readonly change_type: "added" | "modified" | "deleted";
  readonly renamed_from?: string;
  readonly before: Side | null;
  readonly after: Side | null;
  readonly path: string;
  readonly lines: { readonly start: number; readonly end: number };
  readonly code?: string;
}

interface CompareAnswer {
  readonly base_ref: string;
  readonly head_ref: string;
  readonly merge_base_commit: string;
  readonly affected_files: number;
  readonly changes?: readonly SymbolChange[];
  readonly file_changes?: readonly {
    readonly path: string;
    readonly change_type: string;
    readonly not_parsed?: string;
  }[];
  readonly callers?: readonly {
    readonly of: string;
    readonly path: string;
    readonly line_start: number;
    readonly context: string;
    readonly resolution: string;
  }[];
  readonly total_callers?: number;
  readonly likely_tests?: readonly LikelyTest[];
  readonly total_changes: number;
  readonly markdown?: string;
  readonly metadata: Metadata;
}

const PACK_TOKENS = 32_000;
/** So few changes are shown with their code. */
const FEW = 5;

/** Empty: the files on disk. The ref that is shown is the one to compare. */
function headOf(params: URLSearchParams): string {
  return params.get("head") ?? params.get("ref") ?? "";
}

export function CompareView({ params }: { readonly params: URLSearchParams }) {
  const { workspace } = scope(params);
  const sides = { base_ref: params.get("base") ?? undefined, head_ref: headOf(params) || "worktree" };
  const input = { ...sides, path_filter: params.get("in") ?? undefined, workspace };
  const [turn, setTurn] = useState(0);
  const { data, error, loading } = useCall<CompareAnswer>(
    "diff_context",
    { ...input, pack: PACK_TOKENS, limit: 200 },
    turn,
  );
  const review = async (pack: number) =>
    (await call<CompareAnswer>("diff_context", { ...input, pack, format: "markdown" })).markdown ?? "";
  return (
    <>
      <div class="bar">
        <h1>Compare</h1>
        <Sides params={params} />
        <CopyButton title="Copy as a review" read={review} />
      </div>
      <p role="status" class="dim">
        {loading ? "Comparing…" : data ? summary(data) : ""}
      </p>
      {error && <Failure error={error} />}
      <Notes metadata={loading ? undefined : data?.metadata} />
      {data && !loading && data.callers === undefined && data.head_ref !== "worktree" && data.total_changes > 0 && (
        <IndexRef params={params} name={data.head_ref} onDone={() => setTurn(turn + 1)} />
      )}
      {/* Changes of other refs than those in the fields would be taken for theirs. */}
      {data && !loading && <Changes answer={data} />}
    </>
  );
}

function summary({
  base_ref: base,
  head_ref: head,
  total_changes: changes,
  affected_files: files,
  merge_base_commit: from,
}: CompareAnswer): string {
  return `${base} … ${head} since ${from.slice(0, 12)}: ${count(changes, "changed symbol")} in ${count(files, "file")}`;
}

/** Users and tests are found in the index of the ref, which a comparison does not need. */
function IndexRef({
  params,
  name,
  onDone,
}: {
  readonly params: URLSearchParams;
  readonly name: string;
  readonly onDone: () => void;
}) {
  const [state, setState] = useState("");
  const start = async () => {
    setState("Indexing…");
    try {
      await call("index_repo", { ...scope(params), ref: name, wait_seconds: 600 });
      onDone();
    } catch (error) {
      setState((error as Error).message);
    }
  };
  return (
    <p>
      <button type="button" onClick={start}>
        Index {visible(name)} to see uses and tests
      </button>{" "}
      <span role="status">{state}</span>
    </p>
  );
}

/** Names of refs are suggested; any commit can be typed. */
function Sides({ params }: { readonly params: URLSearchParams }) {
  const { data } = useCall<{ readonly branches: readonly string[]; readonly tags: readonly string[] }>("page_refs", {
    workspace: params.get("ws") ?? undefined,
  });
  const [base, setBase] = useState(params.get("base") ?? "");
  const [head, setHead] = useState(headOf(params));
  const [shownBase, shownHead] = [params.get("base") ?? "", headOf(params)];
  useEffect(() => {
    setBase(shownBase);
    setHead(shownHead);
  }, [shownBase, shownHead]);
  return (
    <form
      class="sides"
      onSubmit={(event) => {
        event.preventDefault();
        change({ base: base.trim(), head: head.trim() });
      }}
    >
      <RefInput label="From" placeholder="default branch" value={base} onChange={setBase} />
      <span aria-hidden="true">…</span>
      <RefInput label="To" placeholder="working tree" value={head} onChange={setHead} />
      <datalist id="refs">
        {[...(data?.branches ?? []), ...(data?.tags ?? [])].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="submit">Compare</button>
    </form>
  );
}

function RefInput(it: { label: string; placeholder: string; value: string; onChange(value: string): void }) {
  return (
    <input
      aria-label={it.label}
      list="refs"
      placeholder={it.placeholder}
      value={it.value}
      onInput={(event) => it.onChange(event.currentTarget.value)}
    />
  );
}

function Changes({ answer }: { readonly answer: CompareAnswer }) {
  const { changes = [], callers = [], file_changes: files = [], likely_tests: tests = [] } = answer;
  const users = Map.groupBy(callers, ({ of }) => of);
  const ref = answer.head_ref === "worktree" ? "" : answer.head_ref;
  return (
    <div class="columns two">
      <div>
        {changes.length === 0 && <p>No symbol differs.</p>}
        {changes.map((one, at) => (
          <Change
            key={at}
            one={one}
            users={users.get((one.after ?? one.before)!.qualified_name) ?? []}
            ref={ref}
            isOpen={changes.length <= FEW}
          />
        ))}
        {answer.total_changes > changes.length && (
          <p class="dim">{count(answer.total_changes - changes.length, "more changed symbol")}</p>
        )}
      </div>
      <div>
        <section>
          <h2>Likely tests</h2>
          <LikelyTests tests={tests} />
        </section>
        <section>
          <h2>Other files</h2>
          {files.length === 0 && <p class="dim">None.</p>}
          <ul class="plain">
            {files.map(({ path, change_type: type, not_parsed: reason }) => (
              <li key={path}>
                <Path path={path} /> <span class={`badge ${type}`}>{type}</span>{" "}
                {reason && <span class="dim">{reason.replaceAll("_", " ")}</span>}
              </li>
            ))}
          </ul>
        </section>
      </div>
    </div>
  );
}

function Change(by: {
  readonly one: SymbolChange;
  readonly users: NonNullable<CompareAnswer["callers"]>;
  readonly ref: string;
  readonly isOpen: boolean;
}) {
  const { one, users, ref, isOpen } = by;
  const shown = (one.after ?? one.before)!;
  const [was, is] = [one.before?.signature, one.after?.signature];
  return (
    <article class="hit">
      <div class="head">
        <span class={`badge ${one.change_type}`}>{one.change_type}</span>
        <a class="main" href={link("file", { path: one.path, line: one.lines.start, ref })}>
          <span class="name">{visible(shown.qualified_name)}</span> <Path path={one.path} />:{one.lines.start}
        </a>
        <span class="badge">{shown.kind}</span>
      </div>
      {was !== is && was !== undefined && is !== undefined && (
        <pre class="excerpt">
          <div class="deleted">
            <span class="number">before</span>
            <code>{visible(was)}</code>
          </div>
          <div class="added">
            <span class="number">after</span>
            <code>{visible(is)}</code>
          </div>
        </pre>
      )}
      {one.code !== undefined && (
        <details open={isOpen}>
          <summary>Code</summary>
          <Patch text={one.code} />
        </details>
      )}
      {users.length > 0 && (
        <ul class="plain users">
          {users.map((use) => (
            <li key={`${use.path}:${use.line_start}`}>
              used in{" "}
              <a href={link("file", { path: use.path, line: use.line_start, ref })}>
                <Path path={use.path} />:{use.line_start}
              </a>{" "}
              <code>{visible(use.context.slice(0, 200))}</code>
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

const KINDS: Readonly<Record<string, string>> = { "+": "added", "-": "deleted", "@": "dim" };

function Patch({ text }: { readonly text: string }) {
  return (
    <pre class="excerpt patch">
      {text.split("\n").map((line, at) => (
        <div key={at} class={KINDS[line[0] ?? ""] ?? ""}>
          <code>{visible(line.slice(0, LONGEST_LINE))}</code>
        </div>
      ))}
    </pre>
  );
}

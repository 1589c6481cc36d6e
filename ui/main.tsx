/** The page: its header, its keys, and the view that the address names. */
import { render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { openSession } from "./api.ts";
import { CompareView } from "./compare.tsx";
import { FileView } from "./file.tsx";
import { IndexOffer, type IndexStatus, IndexView, isIndexed } from "./index-view.tsx";
import { Failure, refName, visible } from "./parts.tsx";
import { change, currentRoute, followLinks, goBack, link, navigate, type Route, useRoute } from "./route.ts";
import { scope } from "./scope.ts";
import { MODES, type Mode, modeOf, SearchView } from "./search.tsx";
import { SymbolView } from "./symbol.tsx";
import { useCall } from "./use-call.ts";
import { WhyView } from "./why.tsx";

const VIEWS: Readonly<Record<string, (by: { readonly params: URLSearchParams }) => preact.JSX.Element | null>> = {
  search: SearchView,
  file: FileView,
  symbol: SymbolView,
  compare: CompareView,
  why: WhyView,
  index: IndexView,
};

const TITLE_MS = 200;

function App() {
  const route = useRoute();
  const [needsToken, setNeedsToken] = useState(false);
  useEffect(() => {
    const ask = () => setNeedsToken(true);
    addEventListener("token-needed", ask);
    document.addEventListener("click", followLinks);
    return () => {
      removeEventListener("token-needed", ask);
      document.removeEventListener("click", followLinks);
    };
  }, []);
  useEffect(() => {
    const { params, view } = route;
    const about = params.get("at") ?? params.get("path") ?? params.get("q");
    const title = `${about ? `${visible(about)} · ` : ""}${view} · codecompass`;
    // Not with every key: the browser redraws its frame for a title.
    const later = setTimeout(() => (document.title = title), TITLE_MS);
    return () => clearTimeout(later);
  }, [route]);
  if (needsToken) return <Login />;
  return <Shell route={route} />;
}

function Shell({ route }: { readonly route: Route }) {
  const { params, view } = route;
  const help = useRef<HTMLDialogElement>(null);
  const [turn, setTurn] = useState(0);
  const { data: places } = useCall<WorkspacesAnswer>("page_workspaces", {});
  // A server of a shared store may have no workspace of its own: the page begins with the first repository.
  const first = !params.has("ws") && places?.default === null ? places.workspaces[0] : undefined;
  useEffect(() => {
    if (first !== undefined) change({ ws: first }, "replace");
  }, [first]);
  const { data: status, error } = useCall<IndexStatus>("index_status", scope(params), turn);
  useKeys(() => help.current?.showModal());
  const View = VIEWS[view];
  const [ws, ref] = [params.get("ws"), params.get("ref")];
  // A picker may have hundreds of refs, and a key changes none of them.
  const pickers = useMemo(
    () => (
      <>
        <WorkspacePicker places={places} chosen={ws} />
        <RefPicker workspace={ws} chosen={ref} />
      </>
    ),
    [places, ws, ref],
  );
  // A file of the working tree does not wait for the status: the calls run at the same time.
  const isEarly = view === "file" && !params.has("ref") && !error;
  const isShown = status === undefined ? isEarly : isIndexed(status) || view === "index";
  // What had the focus went with the view before: without this, Tab would begin at the browser's own buttons.
  useEffect(() => {
    if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
  }, [view, isShown]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={link("search")}>
          codecompass
        </a>
        <SearchBox route={route} />
        {pickers}
        <nav aria-label="Views">
          {(["compare", "index"] as const).map((name) => (
            <a key={name} href={link(name)} aria-current={view === name ? "page" : undefined}>
              {name === "compare" ? "Compare" : "Index"}
            </a>
          ))}
          <button type="button" onClick={() => help.current?.showModal()} aria-label="Keys" title="Keys (?)">
            ?
          </button>
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        {error && places !== undefined && first === undefined && (
          <Failure error={error}>{params.has("ref") && <OtherRef />}</Failure>
        )}
        {View === undefined && <p class="empty">There is no such view.</p>}
        {status !== undefined && !isShown && (
          <IndexOffer status={status} params={params} onDone={() => setTurn(turn + 1)} />
        )}
        {isShown && View !== undefined && <View params={params} />}
      </main>
      <Help dialog={help} />
    </>
  );
}

function OtherRef() {
  return (
    <p>
      <button type="button" onClick={() => change({ ref: undefined })}>
        Show the working tree instead
      </button>
    </p>
  );
}

/** The address follows the typing; the first key of a search is a new entry of the history, the others replace it. */
function SearchBox({ route: { params, view } }: { readonly route: Route }) {
  const box = useRef<HTMLInputElement>(null);
  const shown = view === "search" ? (params.get("q") ?? "") : "";
  const [text, setText] = useState(shown);
  const mode = modeOf(params);
  useEffect(() => {
    if (document.activeElement !== box.current) setText(shown);
  }, [shown]);
  useEffect(() => {
    if (view === "search" && shown === "") box.current?.focus();
  }, []);
  const search = (q: string, by: Mode) => {
    const isTyping = view === "search" && shown !== "";
    const kept =
      view === "search"
        ? { lang: params.get("lang") ?? "", in: params.get("in") ?? "", glob: params.get("glob") ?? "" }
        : {};
    navigate(link("search", { ...kept, q, mode: by === "question" ? "" : by }), isTyping ? "replace" : "push");
  };
  return (
    <search>
      <select
        aria-label="Kind of search"
        value={mode}
        onChange={(event) => search(text, event.currentTarget.value as Mode)}
      >
        {Object.entries(MODES).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <input
        ref={box}
        id="query"
        type="search"
        aria-label="Search"
        placeholder="Search the code  ( / )"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          search(event.currentTarget.value, mode);
        }}
      />
    </search>
  );
}

interface WorkspacesAnswer {
  readonly workspaces: readonly string[];
  readonly default: string | null;
}

function WorkspacePicker(by: { readonly places: WorkspacesAnswer | undefined; readonly chosen: string | null }) {
  const roots = by.places?.workspaces ?? [];
  if (roots.length < 2) return null;
  return (
    <select
      class="picker"
      aria-label="Workspace"
      value={by.chosen ?? by.places?.default ?? ""}
      onChange={(event) => change({ ws: event.currentTarget.value, ref: undefined, path: undefined, line: undefined })}
    >
      {roots.map((root) => (
        <option key={root} value={root}>
          {visible(root.split("/").slice(-2).join("/"))}
        </option>
      ))}
    </select>
  );
}

interface RefsAnswer {
  readonly checked_out: string;
  readonly branches: readonly string[];
  readonly tags: readonly string[];
  readonly indexed: readonly string[];
  readonly vcs: boolean;
  /** Only the shared store has it: no files on disk. */
  readonly published: boolean;
}

function RefPicker({ workspace, chosen }: { readonly workspace: string | null; readonly chosen: string | null }) {
  const { data } = useCall<RefsAnswer>("page_refs", { workspace: workspace ?? undefined });
  const ref = chosen ?? "";
  if (data === undefined || (!data.vcs && data.indexed.length < 2)) return null;
  const listed = [...data.indexed, ...data.branches, ...data.tags];
  const groups = { Indexed: data.indexed, Branches: data.branches, Tags: data.tags };
  return (
    <select
      class="picker"
      aria-label="Branch, tag or working tree"
      value={ref}
      onChange={(event) => change({ ref: event.currentTarget.value })}
    >
      <option value="">
        {refName(data.checked_out)}
        {data.published ? "" : " (working tree)"}
      </option>
      {ref !== "" && !listed.includes(ref) && <option value={ref}>{refName(ref)}</option>}
      {Object.entries(groups).map(([title, names]) => (
        <optgroup key={title} label={title}>
          {names
            .filter((name) => (title === "Indexed" ? name !== data.checked_out : true))
            .map((name) => (
              <option key={name} value={name}>
                {refName(name)}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  );
}

/** Keys of the whole page. A field keeps its own keys but for Escape and the arrows of the search field. */
function useKeys(showHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      const target = event.target as HTMLElement;
      const isSearch = target.id === "query";
      const isField = /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
      const hits = [...document.querySelectorAll<HTMLElement>("[data-hit]")];
      const at = hits.indexOf(target);
      const go = (to: HTMLElement | null | undefined) => {
        if (!to) return;
        event.preventDefault();
        to.focus();
      };
      const query = document.querySelector<HTMLInputElement>("#query");
      const isElsewhere = target === document.body || target.id === "main";
      if (event.key === "ArrowDown" && (isSearch || at >= 0 || isElsewhere)) go(hits[at + 1]);
      else if (event.key === "ArrowUp" && at >= 0) go(at === 0 ? query : hits[at - 1]);
      else if (event.key === "Enter" && isSearch) {
        event.preventDefault();
        openFirstHit(query!);
      } else if (event.key === "Escape") {
        if (isField) target.blur();
        else if (currentRoute().params.has("name") && currentRoute().view === "file") change({ name: undefined });
        else if (at >= 0) go(query);
        else if (currentRoute().view !== "search") goBack();
      } else if (isField) return;
      else if (event.key === "/") {
        go(query);
        query?.select();
      } else if (event.key === "?") {
        event.preventDefault();
        showHelp();
      } else if (event.key === "c" || event.key === "i") navigate(link(event.key === "c" ? "compare" : "index"));
      else if (event.key === "g") go(document.querySelector<HTMLElement>(".code"));
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** The first result. While a question is being answered, the results on the screen are those of another one. */
function openFirstHit(query: HTMLInputElement): void {
  const asked = query.value;
  const openNow = () => {
    if (document.querySelector("#main .loading") !== null) return false;
    const first = document.querySelector<HTMLElement>("[data-hit]");
    if (first !== null && query.value === asked && document.activeElement === query) {
      query.blur();
      first.click();
    }
    return true;
  };
  if (openNow()) return;
  const drawn = new MutationObserver(() => {
    if (openNow()) drawn.disconnect();
  });
  drawn.observe(document.getElementById("main")!, { subtree: true, childList: true, attributes: true });
}

const KEYS = [
  ["/", "Search"],
  ["↓ ↑", "Next and previous result; in a file, line"],
  ["→ ←", "Next and previous name in the line of a file"],
  ["Enter", "Open the result"],
  ["Esc", "Leave the field, close the panel, go back"],
  ["g", "Go to the source"],
  ["c", "Compare refs"],
  ["i", "Show the index"],
  ["?", "Show these keys"],
] as const;

function Help({ dialog }: { readonly dialog: { current: HTMLDialogElement | null } }) {
  return (
    <dialog ref={dialog} aria-label="Keys">
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, doc]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{doc}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

function Login() {
  const [failed, setFailed] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget as HTMLFormElement).get("token");
    if (await openSession(String(token))) location.reload();
    else setFailed(true);
  };
  return (
    <main class="login">
      <h1>codecompass</h1>
      <p>
        This page needs a token. The address that <code>codecompass ui</code> prints works once, in one browser: start
        it again for a new one. A server that others run takes the bearer token they gave you.
      </p>
      <form onSubmit={submit}>
        <label>
          Token <input name="token" type="password" autocomplete="off" required />
        </label>
        <button type="submit">Open</button>
      </form>
      {failed && <p role="alert">This token is not valid here, or was used before.</p>}
    </main>
  );
}

/** The token of the address is exchanged before the first call, and does not stay in the history. */
async function start(): Promise<void> {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token !== undefined) {
    history.replaceState(null, "", location.pathname + location.search);
    await openSession(token);
  }
  render(<App />, document.getElementById("app")!);
}

void start();

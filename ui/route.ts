/** The state of the page is its address. Links keep the workspace and the ref. */
import { useEffect, useState } from "preact/hooks";

export type Params = Readonly<Record<string, string | number | undefined>>;

export interface Route {
  readonly view: string;
  readonly params: URLSearchParams;
}

const KEPT = ["ws", "ref"];

/** Browsers refuse to replace an address with every key, and each time costs more than drawing the key. */
const TYPING_MS = 200;

/** Replaces the browser's address when the typing pauses. */
let typed: { readonly url: string; readonly timer: ReturnType<typeof setTimeout> } | undefined;

export function currentRoute(): Route {
  const { pathname, searchParams } = new URL(typed?.url ?? location.href, location.origin);
  return { view: pathname.slice(1) || "search", params: searchParams };
}

/** An address in the workspace and the ref that are shown. */
export function link(view: string, params: Params = {}): string {
  const now = currentRoute().params;
  const kept = Object.fromEntries(KEPT.map((name) => [name, now.get(name) ?? undefined]));
  const given = Object.entries({ ...params, ...kept, ...pick(params, KEPT) });
  const set = given
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => [name, `${value}`]);
  const text = new URLSearchParams(set as [string, string][]).toString();
  return `/${view}${text === "" ? "" : `?${text}`}`;
}

function pick(params: Params, names: readonly string[]): Params {
  return Object.fromEntries(names.filter((name) => name in params).map((name) => [name, params[name]]));
}

export function navigate(url: string, how: "push" | "replace" = "push"): void {
  if (how === "replace") {
    clearTimeout(typed?.timer);
    typed = { url, timer: setTimeout(settleAddress, TYPING_MS) };
  } else {
    settleAddress();
    history.pushState(null, "", url);
  }
  dispatchEvent(new Event(CHANGED));
}

const CHANGED = "route-changed";

function settleAddress(): void {
  if (typed === undefined) return;
  clearTimeout(typed.timer);
  history.replaceState(null, "", typed.url);
  typed = undefined;
}

export function goBack(): void {
  settleAddress();
  history.back();
}

/** The same view with some parameters changed. */
export function change(params: Params, how: "push" | "replace" = "push"): void {
  const { view, params: now } = currentRoute();
  navigate(link(view, { ...Object.fromEntries(now), ...params }), how);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const update = () => setRoute(currentRoute());
    const onPop = () => {
      clearTimeout(typed?.timer);
      typed = undefined;
      update();
    };
    addEventListener(CHANGED, update);
    addEventListener("popstate", onPop);
    return () => {
      removeEventListener(CHANGED, update);
      removeEventListener("popstate", onPop);
    };
  }, []);
  return route;
}

/** Clicks on links of the page change the address without loading it again. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const anchor = (event.target as Element).closest("a");
  if (anchor === null || anchor.origin !== location.origin || anchor.target !== "" || anchor.hasAttribute("download"))
    return;
  event.preventDefault();
  navigate(anchor.pathname + anchor.search);
}

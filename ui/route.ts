/** The state of the page is its address. Links keep the workspace and the ref. */
import { useEffect, useState } from "preact/hooks";

export type Params = Readonly<Record<string, string | number | undefined>>;

export interface Route {
  readonly view: string;
  readonly params: URLSearchParams;
}

const KEPT = ["ws", "ref"];

export function currentRoute(): Route {
  return { view: location.pathname.slice(1) || "search", params: new URLSearchParams(location.search) };
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
  if (how === "push") history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  dispatchEvent(new PopStateEvent("popstate"));
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
    addEventListener("popstate", update);
    return () => removeEventListener("popstate", update);
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

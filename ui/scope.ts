import type { Fields } from "./api.ts";

/** Workspace and ref of an address, as tools take them. */
export function scope(params: URLSearchParams): Fields {
  return { workspace: params.get("ws") ?? undefined, ref: params.get("ref") ?? undefined };
}

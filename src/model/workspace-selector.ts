/**
 * Values of `workspace`: a directory, a repository of the shared store by name, a list of them, a glob of names, or
 * all. Does not check that they exist.
 */

export type WorkspaceSelector =
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "name"; readonly name: string }
  /** A relative directory, or a repository's name. */
  | { readonly kind: "either"; readonly word: string }
  | { readonly kind: "glob"; readonly glob: string }
  | { readonly kind: "all" };

const ALL = "all";
const REPOSITORY = "repo:";
/** Commas inside braces belong to a glob. */
const BETWEEN_COMMAS = /(?:\{[^}]*\}|[^,{]|\{)+/g;

/** The words of a list, or the one word. A comma parts words only where every part can be one. */
export function parseSelectors(text: string): readonly WorkspaceSelector[] {
  const parts = (text.match(BETWEEN_COMMAS) ?? []).map((part) => part.trim());
  return parts.length > 1 && parts.every(canBeSelector) ? parts.map(parseSelector) : [parseSelector(text)];
}

/** Whether the text may mean several workspaces. */
export function namesSeveral(text: string): boolean {
  const [first, ...rest] = parseSelectors(text);
  return rest.length > 0 || first!.kind === "all" || first!.kind === "glob";
}

/** Whether the text can only mean repositories by their names. */
export function namesRepositories(text: string): boolean {
  return parseSelectors(text).every(({ kind }) => kind === "name" || kind === "glob");
}

function canBeSelector(part: string): boolean {
  return part.startsWith(REPOSITORY) ? part.length > REPOSITORY.length : part.includes("/") || part.includes("\\");
}

function parseSelector(text: string): WorkspaceSelector {
  if (text === ALL) return { kind: "all" };
  if (text.startsWith(REPOSITORY)) {
    const name = text.slice(REPOSITORY.length).replace(/\/+$/, "");
    return /[*?[{]/.test(name) ? { kind: "glob", glob: name } : { kind: "name", name };
  }
  if (/^(?:[\\/.~]|[A-Za-z]:[\\/])/.test(text)) return { kind: "directory", path: text };
  return { kind: "either", word: text };
}

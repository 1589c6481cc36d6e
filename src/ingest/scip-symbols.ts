/** Parts of SCIP symbols: `scip-typescript npm shop 1.0.0 src/`cart.ts`/Cart#add().` */

export interface Descriptor {
  readonly name: string;
  /** `/` namespace, `#` type, `.` term, `:` meta, `!` macro, `()` method, `[]` type parameter, `p` parameter. */
  readonly suffix: "/" | "#" | "." | ":" | "!" | "()" | "[]" | "p";
}

const NAME = "(?:`((?:[^`]|``)+)`|([\\p{L}\\p{N}_+$-]+))";
const LAST = new RegExp(`${NAME}(?:(\\([\\w+$-]*\\)\\.)|([/#.:!]))$`, "u");
const PARAMETER = new RegExp(`([[(])${NAME}[\\])]$`, "u");

/** Undefined: the symbol has another form. */
export function lastDescriptor(symbol: string): Descriptor | undefined {
  const last = LAST.exec(symbol);
  if (last !== null) {
    const [, quoted, plain, method, suffix] = last;
    return { name: unquoted(quoted, plain), suffix: method === undefined ? (suffix as Descriptor["suffix"]) : "()" };
  }
  const parameter = PARAMETER.exec(symbol);
  if (parameter === null) return undefined;
  return { name: unquoted(parameter[2], parameter[3]), suffix: parameter[1] === "[" ? "[]" : "p" };
}

/** scip-python calls a module by its `__init__`. */
export function isModule({ name, suffix }: Descriptor): boolean {
  return suffix === "/" || (suffix === ":" && name === "__init__");
}

function unquoted(quoted: string | undefined, plain: string | undefined): string {
  return quoted === undefined ? plain! : quoted.replaceAll("``", "`");
}

/** The name of the symbol's package; "" where it has none. Spaces within a part are doubled. */
export function packageName(symbol: string): string {
  const parts = symbol.replaceAll("  ", "\0").split(" ", 4);
  const name = (parts[2] ?? "").replaceAll("\0", " ");
  return name === "." ? "" : name;
}

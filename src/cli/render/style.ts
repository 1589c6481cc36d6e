/** Colours by meaning. Without a terminal every style is the text itself. */
export interface Style {
  path(text: string): string;
  line(text: string): string;
  name(text: string): string;
  match(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

export function styleOf({ colour }: { readonly colour: boolean }): Style {
  const paint = (code: string) => (text: string) => (colour && text !== "" ? `\x1b[${code}m${text}\x1b[0m` : text);
  return {
    path: paint("35"),
    line: paint("32"),
    name: paint("1"),
    match: paint("1;31"),
    dim: paint("2"),
    good: paint("32"),
    warn: paint("33"),
    bad: paint("31"),
  };
}

/** Repository text must not steer the terminal: control characters become visible. */
export function printable(text: string): string {
  return text.replace(/\t/g, "    ").replace(/[\0-\x1f\x7f-\x9f]/g, "\ufffd");
}

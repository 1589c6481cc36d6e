/** Blocks of Terraform and the expressions that name them. Names belong to a folder, which is a module. */
import { joinPath, parentFolder } from "../../languages/packages.ts";
import type { ConnectionFile } from "./connections.ts";

/** How an expression names a block of the kind. */
const ADDRESS: Readonly<Record<string, (name: string) => string>> = {
  var: (name) => `var.${name}`,
  const: (name) => `local.${name}`,
  module: (name) => `module.${name}`,
  property: (name) => `output.${name}`,
};

const EXPRESSION =
  /(?<![\w.-])(?:(?:var|local|module)\.[A-Za-z_][\w-]*|(?:data\.)?[a-z][a-z0-9]*_\w+\.[A-Za-z_][\w-]*)/g;
const QUIET = /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|\$\{(?:[^{}"]|"[^"\n]*")*\}|[^"\\\n])*"/g;

export function readTerraform(file: ConnectionFile): void {
  if (file.language !== "terraform") return;
  const { path, symbols, text } = file;
  const folder = parentFolder(path);
  const at = (address: string, home = folder) => (home === "" ? address : `${home}/${address}`);
  const use = (offset: number, key: string) => file.add(offset, { side: "use", kind: "resource", key });
  if (path.endsWith(".tfvars")) {
    for (const it of text.matchAll(/^([A-Za-z_][\w-]*)[ \t]*=/gm)) use(it.index, at(`var.${it[1]}`));
    return;
  }
  const sources = new Map<string, string>();
  for (const [index, { kind, name, qualifiedName, span, parent }] of symbols.entries()) {
    const block = text.slice(span.start, span.end);
    const isLocal = kind === "const" && parent !== undefined && symbols[parent]!.name === "locals";
    const address =
      kind === "resource"
        ? resourceAddress(qualifiedName, block)
        : kind !== "const" || isLocal
          ? ADDRESS[kind]?.(name)
          : undefined;
    if (address === undefined) continue;
    file.add(span.start, { side: "definition", kind: "resource", key: at(address), target: { symbol: index } });
    const source = kind === "module" ? /^\s*source\s*=\s*"(\.{1,2}\/[^"\n]*)"/m.exec(block)?.[1] : undefined;
    if (source === undefined) continue;
    sources.set(name, joinPath(folder, source));
    for (const it of block.matchAll(/^[ \t]+([A-Za-z_][\w-]*)[ \t]*=(?!=)/gm))
      if (!META.has(it[1]!)) use(span.start + it.index, at(`var.${it[1]}`, sources.get(name)));
  }
  for (const it of expressionsOnly(text).matchAll(EXPRESSION)) {
    use(it.index, at(it[0]));
    const [, called] = /^module\.(.+)$/.exec(it[0]) ?? [];
    const output = /^\.([A-Za-z_][\w-]*)/.exec(text.slice(it.index + it[0].length, it.index + it[0].length + 100))?.[1];
    const home = called === undefined ? undefined : sources.get(called);
    if (home !== undefined && output !== undefined) use(it.index, at(`output.${output}`, home));
  }
}

/** Arguments of a module that are no variables of it. */
const META: ReadonlySet<string> = new Set(["source", "version", "count", "for_each", "providers", "depends_on"]);

function resourceAddress(qualifiedName: string, block: string): string {
  const [type, name] = qualifiedName.split(".").slice(-2);
  return `${block.startsWith("data") ? "data." : ""}${type}.${name}`;
}

/** Comments and what strings say are blanked out; `${…}` in them is an expression. */
function expressionsOnly(text: string): string {
  return text.replace(QUIET, (it) => {
    if (it[0] !== '"' || !it.includes("${")) return it.replace(/[^\n]/g, " ");
    return it.replace(/(\$\{(?:[^{}"]|"[^"\n]*")*\})|[^\n]/g, (_, expression?: string) => expression ?? " ");
  });
}

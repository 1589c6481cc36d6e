/** Routes and prefixes in the YAML of Symfony: `config/routes.yaml` and the files in `config/routes`. */
import { routeKey } from "../../model/connections.ts";
import type { ConnectionFile } from "./connections.ts";
import { addMount } from "./route-facts.ts";

const ENTRY = /^([\w.@-]+):[ \t\r]*\n((?:[ \t]+[^\n]*(?:\n|$)|[ \t\r]*\n)*)/gm;

export function readSymfonyConfig(file: ConnectionFile): void {
  if (file.language !== "yaml" || !/(?:^|\/)config\/rout(?:es|ing)(?:\/[^/]+)?\.ya?ml$/.test(file.path)) return;
  const root = file.path.replace(/(?:^|\/)config\/.*$/, "");
  for (const it of file.text.matchAll(ENTRY)) {
    const value = (key: string) =>
      new RegExp(`^[ \\t]+${key}:[ \\t]*["']?([^"'\\n#]*?)["']?[ \\t\\r]*(?:#.*)?$`, "m").exec(it[2]!)?.[1];
    const [path, prefix, resource] = [value("path"), value("prefix"), value("resource")];
    if (path?.startsWith("/")) addEntry(file, it.index, path, value("controller"), value("methods"));
    // Controllers that are found by their attributes; routes of a bundle are none of the repository.
    else if (prefix?.startsWith("/") && (resource === "routing.controllers" || resource?.startsWith("../")))
      addMount(file, { at: it.index, path: prefix, target: { name: `classes:${folderOf(root, resource)}` } });
  }
}

function addEntry(file: ConnectionFile, at: number, path: string, controller = "", methods = ""): void {
  const [, type, member] = /^([\w\\]+)(?:::(\w+))?$/.exec(controller) ?? [];
  for (const method of methods.match(/[A-Z]+/g) ?? ["ANY"])
    file.add(at, {
      ...{ side: "definition", kind: "route", key: routeKey(method, path) },
      ...(type !== undefined && { target: { name: `${type}#${member ?? "__invoke"}` } }),
    });
}

function folderOf(root: string, resource: string): string {
  const folder = resource.startsWith("../") ? resource.replace(/^(?:\.\.\/)+|\/$/g, "") : "src";
  return root === "" ? folder : `${root}/${folder}`;
}

/**
 * Resolves the packages of a repository by name, as if they were installed: TypeScript sees a `node_modules` that contains
 * each of them, so that it applies its own rules for `exports` and conditions. If that leads to files that have not been
 * built, the package's folder is used.
 */
import { dirname, join } from "node:path";
import ts from "typescript-6";

type Resolve = NonNullable<ts.LanguageServiceHost["resolveModuleNameLiterals"]>;

export function workspaceResolver(root: string, packages: readonly string[]): Resolve {
  const folders = foldersByName(root, packages);
  const host = installedHost(root, folders);
  const paths = Object.fromEntries([...folders].map(([name, folder]) => [name, [folder]]));
  return (literals, containing, redirected, options, source) =>
    literals.map((literal) => {
      const mode = ts.getModeForUsageLocation(source, literal, options);
      const resolve = (given: ts.CompilerOptions) =>
        ts.resolveModuleName(literal.text, containing, given, host, undefined, redirected, mode);
      const found = resolve(options);
      return found.resolvedModule ? found : resolve({ ...options, paths: { ...paths, ...options.paths } });
    });
}

function foldersByName(root: string, packages: readonly string[]): Map<string, string> {
  const folders = new Map<string, string>();
  for (const path of packages) {
    const { name } = ts.readConfigFile(join(root, path), ts.sys.readFile).config as { name?: string };
    if (name && !folders.has(name)) folders.set(name, join(root, dirname(path)));
  }
  return folders;
}

function installedHost(root: string, folders: ReadonlyMap<string, string>): ts.ModuleResolutionHost {
  const installed = join(root, "node_modules");
  const real = (path: string): string => {
    if (!path.startsWith(`${installed}/`)) return path;
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(path.slice(installed.length + 1))![0];
    const folder = folders.get(name);
    return folder === undefined ? path : join(folder, path.slice(installed.length + 1 + name.length));
  };
  const scopes = new Set([...folders.keys()].flatMap((name) => (name.startsWith("@") ? name.split("/")[0]! : [])));
  const isMadeUp = (path: string) => path === installed || scopes.has(path.slice(installed.length + 1));
  return {
    fileExists: (path) => ts.sys.fileExists(real(path)),
    readFile: (path) => ts.sys.readFile(real(path)),
    directoryExists: (path) => isMadeUp(path) || ts.sys.directoryExists(real(path)),
    realpath: real,
    getCurrentDirectory: () => root,
  };
}

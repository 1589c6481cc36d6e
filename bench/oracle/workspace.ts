/**
 * Resolves the packages of a repository by name, as if they were installed: TypeScript sees a `node_modules` that contains
 * each of them, so that it applies its own rules for `exports` and conditions. If that leads to files that have not been
 * built, the package's folder or its `src` is used. A file's `paths` are those of the nearest `tsconfig.json`.
 */
import { dirname, join } from "node:path";
import ts from "typescript-6";

type Resolve = NonNullable<ts.LanguageServiceHost["resolveModuleNameLiterals"]>;

export function workspaceResolver(root: string, packages: readonly string[]): Resolve {
  const folders = foldersByName(root, packages);
  const host = installedHost(root, folders);
  const paths = Object.fromEntries(
    [...folders].flatMap(([name, folder]) => [
      [name, [folder, `${folder}/src`]],
      [`${name}/*`, [`${folder}/*`, `${folder}/src/*`]],
      ...sourcesOfExports(name, folder),
    ]),
  );
  const near = nearestSettings(root);
  return (literals, containing, redirected, options, source) =>
    literals.map((literal) => {
      const mode = ts.getModeForUsageLocation(source, literal, options);
      const resolve = (given: ts.CompilerOptions) =>
        ts.resolveModuleName(literal.text, containing, given, host, undefined, redirected, mode);
      const found = resolve(options);
      if (found.resolvedModule) return found;
      const nearest = resolve({ ...options, ...near(dirname(containing)) });
      return nearest.resolvedModule ? nearest : resolve({ ...options, paths: { ...paths, ...options.paths } });
    });
}

/** What is built to `dist/x.mjs` is taken to be written in `src/x`. */
function sourcesOfExports(name: string, folder: string): [string, string[]][] {
  const { exports = {} } = ts.readConfigFile(join(folder, "package.json"), ts.sys.readFile).config as {
    exports?: Record<string, unknown>;
  };
  return Object.entries(exports).flatMap(([key, offered]): [string, string[]][] => {
    const built = JSON.stringify(offered).match(/(?<="\.\/(?:dist|lib|build)\/)[^"]*?(?=\.(?:d\.)?[cm]?[jt]s")/g);
    return built === null || !key.startsWith(".")
      ? []
      : [[name + key.slice(1), built.map((it) => `${folder}/src/${it}`)]];
  });
}

/** `paths` and `baseUrl` of the `tsconfig.json` that is nearest to a folder. */
function nearestSettings(root: string): (folder: string) => ts.CompilerOptions {
  const known = new Map<string, ts.CompilerOptions>();
  const read = (folder: string): ts.CompilerOptions => {
    const file = join(folder, "tsconfig.json");
    if (!ts.sys.fileExists(file)) return folder.length <= root.length ? {} : near(dirname(folder));
    const { config } = ts.readConfigFile(file, ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, folder);
    const { paths, baseUrl, pathsBasePath } = options;
    return { ...(paths && { paths }), ...(baseUrl && { baseUrl }), ...(pathsBasePath ? { pathsBasePath } : {}) };
  };
  const near = (folder: string): ts.CompilerOptions => {
    const settings = known.get(folder) ?? read(folder);
    known.set(folder, settings);
    return settings;
  };
  return near;
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

/** TypeScript's language service as an oracle. */
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript-6";
import type { Oracle, RefKind, Truth } from "./oracle.ts";
import { workspaceResolver } from "./workspace.ts";

export function typescriptOracle(root: string, paths: readonly string[]): Oracle {
  const files = paths.filter((path) => /\.[cm]?[jt]sx?$/.test(path)).map((path) => join(root, path));
  const packages = paths.filter((path) => /(?:^|\/)package\.json$/.test(path));
  const service = ts.createLanguageService(hostOf(root, files, packages), ts.createDocumentRegistry());
  const known = new Set(files);
  const untyped = lazy(() =>
    ts.createLanguageService(hostOf(root, files, packages, withoutTypes), ts.createDocumentRegistry()),
  );
  return {
    reads: (path) => known.has(join(root, path)),
    references: async (path, offset) => {
      const program = service.getProgram()!;
      const found = service.findReferences(join(root, path), offset);
      const target = symbolAt(program, join(root, path), offset);
      return found?.flatMap(({ definition, references }) => {
        // A reference reached through an alias of a library is not this symbol.
        if (definition.kind === ts.ScriptElementKind.unknown) return [];
        return references.flatMap((entry) => {
          if (!known.has(entry.fileName)) return [];
          if (!isMeant(program, entry, target) || isCousin(program, entry, target)) return [];
          const truth = truthOf(program.getSourceFile(entry.fileName)!, entry, relative(root, entry.fileName));
          // TypeScript counts `this.x = …` as a use of the field that it defines.
          const isOwnName = truth?.path === path && entry.textSpan.start === offset;
          if (truth === undefined) return [];
          return {
            ...truth,
            definition: truth.definition || isOwnName,
            related: isRelated(program, entry, target),
          };
        });
      });
    },
    // In JavaScript the list of references stops at `exports.x = x`; "go to definition" does not.
    leadsTo: ({ path, line, column }, symbol) => {
      const file = join(root, path);
      const leads = (by: ts.LanguageService) => {
        const source = by.getProgram()!.getSourceFile(file);
        const position = source?.getPositionOfLineAndCharacter(line - 1, column);
        return position !== undefined && leadsFrom(by, file, position, `${join(root, symbol.path)}:${symbol.offset}`);
      };
      return leads(service) || (/\.[cm]?jsx?$/.test(path) && leads(untyped()));
    },
    close: () => service.dispose(),
  };
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

/**
 * The second opinion reads JavaScript without the types in its comments: `@type {Object}` before `exports.x = require("./x")`
 * or a class's own name before the class hides from the compiler what the program does.
 */
function withoutTypes(file: string, text: string): string {
  if (!/\.[cm]?jsx?$/.test(file)) return text;
  return text.replace(/\/\*\*[\s\S]*?\*\//g, (it) => it.replace(/@(?=type\b)/g, " "));
}

/** Whether "go to definition" leads to a name, also on through `exports.x = require("./x")` to what that module is. */
function leadsFrom(service: ts.LanguageService, file: string, position: number, to: string): boolean {
  const program = service.getProgram()!;
  const read = (name: string, at: number) => tokenAt(program.getSourceFile(name)!, at);
  const asked = read(file, position);
  const checker = program.getTypeChecker();
  if (asked.getText() === "require") return isModule(checker, asked.parent, to);
  // The list of references to a function stops where a type takes in its module: `interface All extends Both`, with
  // `type Both = typeof a & typeof b`. What the compiler takes the name for does not.
  const symbol = checker.getSymbolAtLocation(asked);
  if (symbol !== undefined && isDeclaredAt(symbol, to)) return true;
  return (service.getDefinitionAtPosition(file, position) ?? []).some(({ fileName, textSpan }) => {
    if (to === `${fileName}:${textSpan.start}`) return true;
    const assigned = ts.findAncestor(read(fileName, textSpan.start), ts.isBinaryExpression);
    return assigned !== undefined && isModule(checker, assigned.right, to);
  });
}

function isDeclaredAt({ declarations = [] }: ts.Symbol, to: string): boolean {
  return declarations.some((it) => {
    const name = ts.getNameOfDeclaration(it);
    return name !== undefined && to === `${it.getSourceFile().fileName}:${name.getStart()}`;
  });
}

/** Whether a name is what the module of a `require` call exports. */
function isModule(checker: ts.TypeChecker, call: ts.Node, to: string): boolean {
  if (!ts.isCallExpression(call) || call.expression.getText() !== "require") return false;
  const module = checker.getSymbolAtLocation(call.arguments[0]!)?.exports?.get("export=" as ts.__String);
  const meant = module && module.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(module) : module;
  return meant !== undefined && isDeclaredAt(meant, to);
}

/**
 * In JavaScript the service reads `export default connect(Link)` as an export of `Link`, and lists every import of that
 * default: a differently spelled name must be an alias of the same symbol.
 */
function isMeant(program: ts.Program, entry: ts.ReferencedSymbolEntry, target: ts.Symbol | undefined): boolean {
  const source = program.getSourceFile(entry.fileName)!;
  const { start, length } = entry.textSpan;
  if (target === undefined || source.text.slice(start, start + length) === target.name) return true;
  const checker = program.getTypeChecker();
  const symbol = symbolAt(program, entry.fileName, start);
  if (symbol === undefined || !(symbol.flags & ts.SymbolFlags.Alias)) return true;
  const meant = checker.getAliasedSymbol(symbol);
  const own = target.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(target) : target;
  return meant === own || (meant.declarations ?? []).some((it) => own.declarations?.includes(it));
}

/**
 * The service counts uses of every implementation of an interface as uses of each of them. A use of `A.add` is not a use of
 * `B.add` because both implement `I`: overridden and overriding members count, siblings do not.
 */
function isCousin(program: ts.Program, entry: ts.ReferencedSymbolEntry, target: ts.Symbol | undefined): boolean {
  if (isLiteralMember(target?.valueDeclaration)) {
    // Nor is the key of another literal, which defines a property of its own.
    const { parent } = tokenAt(program.getSourceFile(entry.fileName)!, entry.textSpan.start);
    return isLiteralMember(parent) && parent !== target?.valueDeclaration;
  }
  const used = symbolAt(program, entry.fileName, entry.textSpan.start);
  const [one, other] = [ownerOf(used), ownerOf(target)];
  // Nor is the key of a literal that must be an interface a use of a class that implements it.
  if (one === undefined && other !== undefined && isKeyOfAnother(program, entry, target!)) return true;
  if (one === undefined || other === undefined || one === other || used?.name !== target?.name) return false;
  const checker = program.getTypeChecker();
  return !basesOf(one, checker).has(other) && !basesOf(other, checker).has(one);
}

function isKeyOfAnother(program: ts.Program, entry: ts.ReferencedSymbolEntry, target: ts.Symbol): boolean {
  const key = tokenAt(program.getSourceFile(entry.fileName)!, entry.textSpan.start).parent;
  if (!isLiteralMember(key)) return false;
  const checker = program.getTypeChecker();
  const context = checker.getContextualType(key.parent as ts.ObjectLiteralExpression);
  const parts = context?.isUnion() ? context.types : [context];
  const wanted = parts.flatMap((it) => it?.getProperty(target.name) ?? []);
  if (wanted.length === 0) return false;
  const declared = new Set(wanted.flatMap((it) => checker.getRootSymbols(it)).flatMap((it) => it.declarations ?? []));
  return !(target.declarations ?? []).some((it) => declared.has(it));
}

/** Whether a use of a property means another declaration of it: of a base, of an override. */
function isRelated(program: ts.Program, entry: ts.ReferencedSymbolEntry, target: ts.Symbol | undefined): boolean {
  const source = program.getSourceFile(entry.fileName)!;
  const { parent } = tokenAt(source, entry.textSpan.start);
  // A key of a literal declares a property itself; what it must be is the use.
  if (ts.isPropertyAssignment(parent) || ts.isShorthandPropertyAssignment(parent) || ts.isBindingElement(parent))
    return false;
  const checker = program.getTypeChecker();
  const used = symbolAt(program, entry.fileName, entry.textSpan.start);
  if (used === undefined || target === undefined || !(used.flags & MEMBER) || !(target.flags & MEMBER)) return false;
  const declared = new Set(target.declarations ?? []);
  const meant = checker.getRootSymbols(used).flatMap((it) => it.declarations ?? []);
  return meant.length > 0 && !meant.some((it) => declared.has(it));
}

function isLiteralMember(node: ts.Node | undefined): boolean {
  return node !== undefined && ts.isObjectLiteralElementLike(node) && ts.isObjectLiteralExpression(node.parent);
}

const MEMBER = ts.SymbolFlags.ClassMember;

function ownerOf(symbol: ts.Symbol | undefined): ts.Symbol | undefined {
  const owner = symbol && (symbol as unknown as { parent?: ts.Symbol }).parent;
  return owner && owner.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface) ? owner : undefined;
}

function basesOf(symbol: ts.Symbol, checker: ts.TypeChecker, seen = new Set<ts.Symbol>()): Set<ts.Symbol> {
  for (const declaration of symbol.declarations ?? []) {
    const clauses =
      ts.isClassLike(declaration) || ts.isInterfaceDeclaration(declaration) ? declaration.heritageClauses : [];
    for (const type of (clauses ?? []).flatMap((it) => it.types)) {
      const base = checker.getTypeAtLocation(type).getSymbol();
      if (base === undefined || seen.has(base)) continue;
      seen.add(base);
      basesOf(base, checker, seen);
    }
  }
  return seen;
}

function symbolAt(program: ts.Program, file: string, position: number): ts.Symbol | undefined {
  const source = program.getSourceFile(file);
  return source && program.getTypeChecker().getSymbolAtLocation(tokenAt(source, position));
}

function hostOf(
  root: string,
  files: readonly string[],
  packages: readonly string[],
  edit = (_: string, text: string) => text,
): ts.LanguageServiceHost {
  const options = optionsOf(root);
  const snapshots = new Map<string, ts.IScriptSnapshot>();
  return {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...files],
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) => {
      const known = snapshots.get(file);
      if (known !== undefined || !existsSync(file)) return known;
      const snapshot = ts.ScriptSnapshot.fromString(edit(file, readFileSync(file, "utf8")));
      snapshots.set(file, snapshot);
      return snapshot;
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (it) => ts.getDefaultLibFilePath(it),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    resolveModuleNameLiterals: workspaceResolver(root, packages),
  };
}

/** The project's own paths, with settings that include every file of it. */
function optionsOf(root: string): ts.CompilerOptions {
  const base: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    allowJs: true,
    maxNodeModuleJsDepth: 0,
    noEmit: true,
    // Scripts of several programs are in one repository; they do not share names.
    moduleDetection: ts.ModuleDetectionKind.Force,
    jsx: ts.JsxEmit.Preserve,
    types: [],
  };
  for (const name of ["tsconfig.base.json", "tsconfig.json"]) {
    const file = join(root, name);
    if (!existsSync(file)) continue;
    const { config } = ts.readConfigFile(file, ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root);
    const { paths, baseUrl, pathsBasePath, experimentalDecorators, customConditions } = options;
    return {
      ...base,
      ...(paths && { paths }),
      ...(customConditions && { customConditions }),
      ...(baseUrl && { baseUrl }),
      ...(pathsBasePath ? { pathsBasePath } : {}),
      experimentalDecorators: experimentalDecorators ?? false,
    };
  }
  return base;
}

function truthOf(source: ts.SourceFile, entry: ts.ReferencedSymbolEntry, path: string): Truth | undefined {
  const start = entry.textSpan.start;
  const node = tokenAt(source, start);
  const { parent } = node;
  // The whole file is a use without a name.
  if (entry.textSpan.length === 0 || node.kind === ts.SyntaxKind.SourceFile) return undefined;
  // The name after `as` is defined by the statement, not used.
  if ((ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) && parent.propertyName && parent.name === node)
    return undefined;
  if (ts.isNamespaceImport(parent) || ts.isNamespaceExport(parent)) return undefined;
  if (isInComment(source, start)) return undefined;
  const { line, character } = source.getLineAndCharacterOfPosition(start);
  return { path, line: line + 1, column: character, kind: kindOf(node), definition: isDefinition(node, entry) };
}

/** Names in comments are not code. */
function isInComment({ text }: ts.SourceFile, position: number): boolean {
  return text.lastIndexOf("/**", position) > text.lastIndexOf("*/", position);
}

function tokenAt(source: ts.SourceFile, position: number): ts.Node {
  let found: ts.Node = source;
  for (;;) {
    const inner = found
      .getChildren(source)
      .find((child) => child.getStart(source) <= position && child.getEnd() > position);
    if (inner === undefined) return found;
    found = inner;
  }
}

function isDefinition(node: ts.Node, entry: ts.ReferencedSymbolEntry): boolean {
  const { parent } = node;
  const isImport =
    ts.isImportSpecifier(parent) ||
    ts.isImportClause(parent) ||
    ts.isExportSpecifier(parent) ||
    ts.isImportEqualsDeclaration(parent);
  if (
    isImport ||
    ts.isShorthandPropertyAssignment(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isBindingElement(parent)
  )
    return false;
  // Every node with a name is a declaration, except uses of properties.
  const declares = (parent as ts.NamedDeclaration).name === node && !ts.isPropertyAccessExpression(parent);
  return declares || (entry.isDefinition === true && !ts.isPropertyAccessExpression(parent));
}

function kindOf(node: ts.Node): RefKind {
  const { parent } = node;
  if (
    ts.isImportSpecifier(parent) ||
    ts.isImportClause(parent) ||
    ts.isExportSpecifier(parent) ||
    ts.isImportEqualsDeclaration(parent) ||
    ts.isExportAssignment(parent)
  )
    return "import";
  if (ts.isPropertyAssignment(parent) && parent.name === node) return "key";
  if (
    ts.isShorthandPropertyAssignment(parent) ||
    ts.isBindingElement(parent) ||
    ts.isJsxAttribute(parent) ||
    ts.isMethodDeclaration(parent)
  )
    return "key";
  if (ts.isStringLiteralLike(node)) return "key";
  if (isHeritage(parent) || isHeritage(parent.parent)) return "heritage";
  const member =
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isQualifiedName(parent) && parent.right === node);
  const whole = member ? parent : node;
  const called =
    (ts.isCallExpression(whole.parent) || ts.isNewExpression(whole.parent)) && whole.parent.expression === whole;
  return member ? (called ? "member call" : "member") : called ? "call" : "reference";
}

function isHeritage(node: ts.Node | undefined): boolean {
  return node !== undefined && ts.isExpressionWithTypeArguments(node) && ts.isHeritageClause(node.parent);
}

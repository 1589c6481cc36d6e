/** What the package ships of others: THIRD_PARTY_NOTICES with the licence texts, and the same list as a CycloneDX SBOM. */
import { globSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { READABLE } from "../../src/languages/index.ts";

interface Component {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly use: "installed with the package" | "bundled into dist" | "grammar";
  readonly texts: readonly string[];
}

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json"));
const locked: Readonly<Record<string, Locked>> = JSON.parse(read("package-lock.json")).packages;

/** The authors of grammars that packages of several grammars ship without their notices. */
const GRAMMAR_AUTHORS: Readonly<Record<string, string>> = {
  c: "2014 Max Brunsfeld",
  cpp: "2014 Max Brunsfeld",
  c_sharp: "2014-2023 Max Brunsfeld, Damien Guard, Amaan Qureshi, and contributors",
  dart: "2020-2022 UserNobody14 and others",
  go: "2014 Max Brunsfeld",
  java: "2017 Ayman Nadeem",
  javascript: "2014 Max Brunsfeld",
  php: "2017 Josh Vera, GitHub; 2019 Max Brunsfeld, Amaan Qureshi, Christian Frøystad, Caleb White",
  python: "2016 Max Brunsfeld",
  ruby: "2016 Rob Rix",
  rust: "2017 Maxim Sokolov",
  swift: "2021 alex-pinkus",
  tsx: "2017 Max Brunsfeld",
  typescript: "2017 Max Brunsfeld",
};

export function noticesPage(): string {
  const all = components();
  const byText = Map.groupBy(all, ({ texts }) => texts.join("\n\n"));
  const sections = [...byText].map(([text, users]) => {
    const names = users.map(({ name, version, license, use }) => `${name} ${version} (${license}; ${use})`);
    return `${"=".repeat(80)}\n${names.join("\n")}\n${"-".repeat(80)}\n${text}\n`;
  });
  return `codecompass contains the following software of others. Made by \`npm run docs\`.
The embedding model is the project's own: see model-training/MODEL_CARD.md.

${sections.join("\n")}`;
}

/** Without a serial number and a time, so that the same package has the same file. */
export function sbom(): string {
  const listed = components().map(({ name, version, license, use }) => ({
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: [license.includes(" ") ? { expression: license } : { license: { id: license } }],
    properties: [{ name: "codecompass:use", value: use }],
  }));
  const { name, version, license } = manifest;
  const component = { type: "application", name, version, licenses: [{ license: { id: license } }] };
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component },
    components: listed,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function components(): Component[] {
  const installed = closure(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
  const bundled = closure(bundledRoots()).filter((name) => !installed.includes(name));
  const grammars = [...new Set(READABLE.flatMap(({ grammar }) => (grammar ? [grammar.npm] : [])))];
  return [
    ...installed.map((name) => component(name, "installed with the package")),
    ...bundled.map((name) => component(name, "bundled into dist")),
    ...grammars.map((name) => component(name, "grammar")),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The packages and all that they need, without those for one platform only: their main package names their licence. */
function closure(roots: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    const entry = locked[`node_modules/${name}`];
    if (entry === undefined || entry.os !== undefined || found.has(name)) return;
    found.add(name);
    for (const next of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) visit(next);
  };
  for (const name of roots) visit(name);
  return [...found];
}

/** A statement's or a call's package, without the path inside it. */
const IMPORT = /(?:^(?:import|export)(?! type)[^"=]* from |\bimport\()"((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^"]*)?"/gm;

/** Development dependencies that the sources import: the bundler copies them into dist. */
function bundledRoots(): string[] {
  const sources = globSync(["src/**/*.ts", "ui/*.{ts,tsx}"], { cwd: root }).filter(
    (path) => !/\.test\.ts$|\/sample/.test(path),
  );
  const names = sources.flatMap((path) => [...read(path).matchAll(IMPORT)].map(([, name]) => name!));
  return [...new Set(names)].filter((name) => !isBuiltin(name) && name in manifest.devDependencies);
}

function component(name: string, use: Component["use"]): Component {
  const { version, license = "" } = locked[`node_modules/${name}`]!;
  const folder = join(root, "node_modules", name);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  if (license === "" || (texts.length === 0 && use !== "installed with the package")) {
    throw new Error(`${name} has no licence, so it cannot be shipped.`);
  }
  const authors = use === "grammar" ? collectedGrammars(name) : [];
  return { name, version, license, use, texts: [...(texts.length > 0 ? texts : [license]), ...authors] };
}

/** The grammars that we ship of a package with many. */
function collectedGrammars(npm: string): string[] {
  const ids = READABLE.flatMap(({ grammar }) => (grammar?.npm === npm ? [grammar.wasm] : []))
    .filter((wasm) => wasm.startsWith("out/"))
    .map((wasm) => /tree-sitter-(\w+)\.wasm$/.exec(wasm)![1]!);
  return [...new Set(ids)].sort().map((id) => {
    const authors = GRAMMAR_AUTHORS[id];
    if (authors === undefined)
      throw new Error(`Name the authors of the grammar ${id} of ${npm} in ${import.meta.filename}.`);
    return `tree-sitter-${id}: MIT License, Copyright (c) ${authors}`;
  });
}

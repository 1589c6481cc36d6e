/** A call through an interface is answered with its possible targets, counted apart, in every language with interfaces. */
import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import type { Tree } from "../../test/kit/references.ts";
import { symbolHit } from "../model/ids.ts";
import type { SymbolHit } from "../model/search.ts";
import { references } from "./find-references.ts";
import { createNavigation } from "./navigation.ts";

/** An interface, a type that implements it, one that overrides it again, and calls through both. */
const TREES: Readonly<Record<string, Tree>> = {
  TypeScript: {
    "a.ts": `export interface Source {\n  read(): string;\n}\nexport class File implements Source {\n  read() { return "f"; }\n}\nexport class Zip extends File {\n  read() { return "z"; }\n}\nexport function use(s: Source) { return s.read(); }\nexport function direct(f: File) { return f.read(); }\n`,
  },
  Java: {
    "p/Source.java": "package p;\npublic interface Source {\n  String read();\n}\n",
    "p/File.java":
      'package p;\npublic class File implements Source {\n  @Override\n  public String read() { return "f"; }\n}\n',
    "p/Zip.java":
      'package p;\npublic class Zip extends File {\n  @Override\n  public String read() { return "z"; }\n}\n',
    "p/Main.java":
      "package p;\nclass Main {\n  String use(Source s) { return s.read(); }\n  String direct(File f) { return f.read(); }\n}\n",
  },
  Go: {
    "go.mod": "module x\n",
    "a.go":
      'package x\n\ntype Source interface {\n\tRead() string\n}\n\ntype File struct{}\n\nfunc (f *File) Read() string { return "f" }\n\ntype Zip struct{ File }\n\nfunc (z *Zip) Read() string { return "z" }\n\nfunc use(s Source) string { return s.Read() }\n\nfunc direct(f *File) string { return f.Read() }\n',
  },
  Rust: {
    "Cargo.toml": '[package]\nname = "x"\n',
    "src/lib.rs":
      "pub trait Source {\n    fn read(&self) -> String;\n}\npub struct File;\nimpl Source for File {\n    fn read(&self) -> String { String::new() }\n}\npub struct Zip;\nimpl Source for Zip {\n    fn read(&self) -> String { String::new() }\n}\npub fn call_use(s: &dyn Source) -> String { s.read() }\npub fn direct(f: &File) -> String { f.read() }\n",
  },
  Python: {
    "a.py":
      "from abc import ABC, abstractmethod\n\nclass Source(ABC):\n    @abstractmethod\n    def read(self): ...\n\nclass File(Source):\n    def read(self): return 'f'\n\nclass Zip(File):\n    def read(self): return 'z'\n\ndef use(s: Source): return s.read()\n\ndef direct(f: File): return f.read()\n",
  },
  CSharp: {
    "A.cs":
      'namespace P;\npublic interface Source {\n  string Read();\n}\npublic class File : Source {\n  public virtual string Read() { return "f"; }\n}\npublic class Zip : File {\n  public override string Read() { return "z"; }\n}\npublic class Main {\n  string use(Source s) { return s.Read(); }\n  string direct(File f) { return f.Read(); }\n}\n',
  },
  Kotlin: {
    "a.kt":
      'package p\n\ninterface Source {\n  fun read(): String\n}\nopen class File : Source {\n  override fun read(): String = "f"\n}\nclass Zip : File() {\n  override fun read(): String = "z"\n}\nfun use(s: Source): String = s.read()\nfun direct(f: File): String = f.read()\n',
  },
};

/** The last two parts of its name in small letters: languages spell names differently. */
function short({ symbol: { qualifiedName } }: SymbolHit): string {
  return qualifiedName.split(/\.|::/).slice(-2).join(".").toLowerCase();
}

function sorted(names: readonly string[]): string {
  return [...names].sort().join(" ");
}

for (const [language, tree] of Object.entries(TREES))
  test(language, async () => {
    const { at, ids } = await indexTree(tree);
    const navigation = createNavigation(at, ids);
    const all: SymbolHit[] = [];
    for (const file of await at.files()) {
      const record = await at.record(file);
      for (const [index, { kind }] of record.symbols.entries())
        if (kind !== "use" && kind !== "impl") all.push(symbolHit(record, index, ids));
    }
    const find = (end: string) => ({ name: "", symbolId: all.find((it) => short(it).endsWith(end))!.symbolId });
    const callGraph = async (end: string, direction: "callers" | "callees") => {
      const { edges, possible } = await navigation.callGraph({ ...find(end), direction, depth: 1, limit: 50 });
      const far = edges.map(({ from, to, ...it }) => short(direction === "callers" ? from : to!) + mark(it.possible));
      return `${sorted(far.map(lastPart))} (${possible})`;
    };
    const impact = async (end: string) => {
      const ask = { symbol: find(end), changed: [], paths: [], depth: 1, limit: 50 };
      const { affected, possible } = await navigation.impact(ask);
      return `${sorted(affected.map((it) => lastPart(short(it.hit)) + mark(it.possible)))} (${possible})`;
    };
    const uses = async (end: string) => {
      const answer = await references({ ...find(end), limit: 50 }, at, ids);
      const from = answer.references.map((it) => `${lastPart(short(it.from))}${mark("via" in it.edge)}`);
      return `${sorted(from)} (${answer.possible})`;
    };
    const inheritance = async (end: string, direction: "ancestors" | "descendants") =>
      sorted((await navigation.hierarchy({ ...find(end), direction })).inheritance.map((it) => lastPart(short(it))));
    expect({
      "callees of use": await callGraph("use", "callees"),
      "callers of the interface's": await callGraph("source.read", "callers"),
      "callers of an implementation": await callGraph("file.read", "callers"),
      "uses of the interface's": await uses("source.read"),
      "uses of an implementation": await uses("file.read"),
      "impact of the interface's": await impact("source.read"),
      "below the interface": await inheritance("source", "descendants"),
      "above the implementation": await inheritance("file", "ancestors"),
    }).toEqual({
      "callees of use": "read read~ read~ (2)",
      "callers of the interface's": "use (0)",
      "callers of an implementation": "direct use~ (1)",
      "uses of the interface's": "direct~ use (1)",
      "uses of an implementation": "direct use~ (1)",
      "impact of the interface's": "direct~ read read use (1)",
      "below the interface": "file zip",
      "above the implementation": "source",
    });
  });

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1).replace("call_", "");
}

function mark(isPossible: boolean | undefined): string {
  return isPossible ? "~" : "";
}

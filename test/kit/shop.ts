/**
 * A small project and the index that a compiler wrote of it. `shop.scip` was made by writing the tree to `/tmp/shop` and
 * running `npx @sourcegraph/scip-typescript@0.4.0 index` there, with a tsconfig.json that includes `src`.
 */
import { readFileSync } from "node:fs";

export const SHOP = {
  "package.json": '{"name":"shop","version":"1.0.0"}\n',
  "src/shop.ts":
    'export interface Source { read(): string }\nexport class File implements Source {\n  constructor(readonly name: string) {}\n  read() { return "🚀" + this.name; }\n}\nexport const make = (name: string): Source => new File(name);\nexport default function run(it: Source) { function inner() { return it.read(); } return inner(); }\nconst { name: renamed } = new File("a");\nexport type Box = { value: number };\nexport const open = (box: Box) => ({ value: box.value, renamed });\nexport enum Color { Red, Green }\n',
  "src/user.ts":
    'import start, { make as build, File, Color } from "./shop";\nimport * as shop from "./shop";\n/* 🚀 */ start(build("x")); new File("y").read(); shop.open({ value: Color.Red }).value;\nconst any: any = build("z"); any.read();\n[1].map((it) => it.toString());\n',
};

export const SHOP_SCIP: Uint8Array = readFileSync(new URL("shop.scip", import.meta.url));

export async function* inChunks(bytes: Uint8Array, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

import { expect, test } from "vitest";
import { ecmascriptModules } from "./ecmascript-modules.ts";

const FILES: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "root", "imports": { "#util/*": "./src/util/*.js" } }`,
  "tsconfig.json": `{ // comments
    "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"], "exact": ["src/util/exact"], }, } }`,
  "src/a.ts": "",
  "src/b.tsx": "",
  "src/dir/index.ts": "",
  "src/util/x.ts": "",
  "src/util/exact.ts": "",
  "src/data.json": "",
  "packages/one/package.json": `{ "name": "@org/one", "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" }, "./sub/*": "./dist/sub/*.js" } }`,
  "packages/one/src/index.ts": "",
  "packages/one/src/sub/deep.ts": "",
  "packages/two/package.json": `{ "name": "two", "main": "lib/main" }`,
  "packages/two/lib/main.js": "",
  "packages/two/tsconfig.json": `{ "extends": "../../tsconfig" }`,
  "packages/two/src/use.ts": "",
  "packages/three/package.json": `{ "main": "lib.js", "types": "./lib.d.ts" }`,
  "packages/three/lib.js": "",
  "packages/three/lib.d.ts": "",
  "packages/three/test/t.js": "",
  "packages/three/plain/package.json": `{ "type": "module" }`,
  "packages/three/plain/index.js": "",
  "packages/three/same/package.json": `{ "main": "./" }`,
  "packages/three/same/index.js": "",
  "packages/three/same.js": "",
};

const resolve = ecmascriptModules.prepare({
  paths: Object.keys(FILES),
  has: (path) => path in FILES,
  text: (path) => FILES[path],
});

function check(module: string, from: string, ...expected: string[]): void {
  test(`${module} from ${from}`, () => expect(resolve(module, from)).toEqual(expected));
}

check("./b", "src/a.ts", "src/b.tsx");
check("./b.js", "src/a.ts", "src/b.tsx");
check("./dir", "src/a.ts", "src/dir/index.ts");
check("..", "src/dir/deep/x.ts", "src/dir/index.ts");
check("..", "packages/three/test/t.js", "packages/three/lib.d.ts");
check("../", "packages/three/test/t.js", "packages/three/lib.d.ts");
check("../../three", "packages/three/test/t.js", "packages/three/lib.d.ts");
check("./plain", "packages/three/x.js", "packages/three/plain/index.js");
check("./same", "packages/three/x.js", "packages/three/same.js");
check("./missing", "src/a.ts");
check("../../../outside", "src/a.ts");
check("@/util/x", "src/dir/index.ts", "src/util/x.ts");
check("exact", "src/a.ts", "src/util/exact.ts");
check("src/util/x", "src/a.ts", "src/util/x.ts");
check("#util/x", "src/a.ts", "src/util/x.ts");
check("@org/one", "src/a.ts", "packages/one/src/index.ts");
check("@org/one/sub/deep", "packages/two/src/use.ts", "packages/one/src/sub/deep.ts");
check("two", "src/a.ts", "packages/two/lib/main.js");
check("@/a", "packages/two/src/use.ts", "src/a.ts");
check("node:fs", "src/a.ts");
check("react", "src/a.ts");
check("./data.json", "src/a.ts", "src/data.json");

import { expect, test } from "vitest";
import { ecmascriptImports } from "./ecmascript.ts";

/** `name>local<exported @module :offset` of each item. */
function check(statement: string, ...expected: string[]): void {
  test(statement, () => {
    const items = ecmascriptImports(statement).map(
      ({ module, name, local, exported, at }) => `${name}>${local}<${exported ?? ""} @${module} :${at}`,
    );
    expect(items).toEqual(expected);
  });
}

check(`import { a, b as c } from "./m"`, "a>a< @./m :9", "b>c< @./m :12");
check(`import D, { type T, default as E } from 'm'`, "T>T< @m :17", "default>E< @m :20", "default>D< @m :7");
check(`import * as ns from "m"`, "*>ns< @m :7");
check(`import D, * as ns from "m"`, "*>ns< @m :10", "default>D< @m :7");
check(`import "side"`, ">< @side :8");
check(`import type { A } from "m"`, "A>A< @m :14");
check(`import type A from "m"`, "default>A< @m :12");
check(`import x = require("m")`, "=>x< @m :7");
check(`import {\n  a, // first\n  b,\n} from "m"`, "a>a< @m :11", "b>b< @m :25");
check(`export { a as b } from "m"`, "a><b @m :9");
check(`export * from "m"`, "*><* @m :7");
check(`export * as ns from "m"`, "*><ns @m :7");
check(`export { a, b as default }`, "a><a @ :9", "b><default @ :12");
check(`export default main`, "main><default @ :15");
check(`export = main`, "main><= @ :9");
check(`x = require("./x")`, "=>x< @./x :0");
check(`{ a, b: c } = require("./x")`, "a>a< @./x :2", "b>c< @./x :5");
check(`get = require("./x").get`, "get>get< @./x :0");
check(`module.exports = { a, b: c }`, "a><a @ :19", "c><b @ :22");
check(`module.exports = App`, "App><= @ :17");
check(`module.exports = require("./lib")`, "=><= @./lib :17");
check(`exports.a = b`, "b><a @ :12");
check(`exports.a = parser.json`);
check(`module.exports = make()`);

import { describe, expect, test } from "vitest";
import { pythonImports } from "./language.ts";
import { pythonModules } from "./modules.ts";

describe("imports", () => {
  const check = (statement: string, ...expected: string[]) =>
    test(statement, () => {
      const items = pythonImports(statement).map((it) => `${it.name}>${it.local} @${it.module} :${it.at}`);
      expect(items).toEqual(expected);
    });

  check("import os", "*>os @os :7");
  check("import os.path", "*>os @os :7", "> @os.path :7");
  check("import a.b as c, d", "*>c @a.b :7", "*>d @d :17");
  check("from . import x", "x>x @. :14");
  check("from ..a.b import c as d, e", "c>d @..a.b :18", "e>e @..a.b :26");
  check("from a import (\n    b,  # first\n    c as d,\n)", "b>b @a :20", "c>d @a :36");
  check("from a import *", "*>* @a :14");
});

describe("modules", () => {
  const paths = [
    "src/pkg/__init__.py",
    "src/pkg/core.py",
    "src/pkg/sub/__init__.py",
    "src/pkg/sub/deep.py",
    "tests/__init__.py",
    "tests/test_core.py",
    "tools/helper.py",
    "tools/run.py",
    "stubs.pyi",
  ];
  const resolve = pythonModules.prepare({ paths, has: (path) => paths.includes(path), text: () => undefined });
  const check = (module: string, from: string, ...expected: string[]) =>
    test(`${module} from ${from}`, () => expect(resolve(module, from)).toEqual(expected));

  check("pkg", "tests/test_core.py", "src/pkg/__init__.py");
  check("pkg.sub.deep", "tests/test_core.py", "src/pkg/sub/deep.py");
  check(".", "src/pkg/core.py", "src/pkg/__init__.py");
  check(".core", "src/pkg/__init__.py", "src/pkg/core.py");
  check("..core", "src/pkg/sub/deep.py", "src/pkg/core.py");
  check("tests.test_core", "src/pkg/core.py", "tests/test_core.py");
  check("helper", "tools/run.py", "tools/helper.py");
  check("core", "src/pkg/sub/deep.py");
  check("stubs", "tools/run.py", "stubs.pyi");
  check("requests", "tools/run.py");
});

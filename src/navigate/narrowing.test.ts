/** A test of a value leaves some alternatives of its type: members of the others are not meant. */
import { describe } from "vitest";
import { checkUses as check } from "../../test/kit/references.ts";

const PETS = `export class Cat { name = ""; purr = 1 }
export class Dog { name = ""; bark = 2 }
export type Pet = Cat | Dog;
export function isCat(it: unknown): it is Cat { return it instanceof Cat; }
export interface Circle { kind: "circle"; size: number }
export interface Square { kind: "square"; size: number }
`;

describe("narrowing", () => {
  check(
    "by a type guard, in its branch, behind an early return, and not behind an assignment",
    {
      "pets.ts": PETS,
      "use.ts": `import { Dog, isCat, type Pet } from "./pets";
function f(it: Pet) {
  if (isCat(it)) it.name;
  it.name;
}
function g(it: Pet) {
  if (!isCat(it)) return;
  it.name;
}
function h(it: Pet) {
  if (isCat(it)) {
    it = new Dog();
    it.name;
  }
}
`,
    },
    ["pets.ts", "name", 0],
    "use.ts:3:20 references receiver",
    "use.ts:8:5 references receiver",
    "use.ts:4:5 references name_only",
    "use.ts:13:7 references name_only",
  );
  check(
    "by instanceof beside other tests, and by a member that one alternative has",
    {
      "pets.ts": PETS,
      "use.ts": `import { Dog, type Pet } from "./pets";
function f(it: Pet, on: boolean) {
  if (on && it instanceof Dog && it.name) it.name;
  if (on || it instanceof Dog) it.name;
  return "bark" in it ? it.name : "";
}
`,
    },
    ["pets.ts", "name", 1],
    "use.ts:3:36 references receiver",
    "use.ts:3:45 references receiver",
    "use.ts:5:27 references receiver",
    "use.ts:4:34 references name_only",
  );
  check(
    "by a property that is a literal; a local of the same name is another value",
    {
      "pets.ts": PETS,
      "use.ts": `import type { Circle, Square } from "./pets";
function area(shape: Circle | Square) {
  if (shape.kind === "circle") {
    shape.size;
    [] .map((shape: Square) => shape.size);
  }
}
`,
    },
    ["pets.ts", "size", 0],
    "use.ts:4:10 references receiver",
  );
});

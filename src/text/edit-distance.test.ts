import { expect, test } from "vitest";
import { editDistance, nameLetters, nearestNames, nearestPaths } from "./edit-distance.ts";

const check = (a: string, b: string, edits: number) =>
  test(`${a} → ${b}`, () => expect(editDistance(nameLetters(a), nameLetters(b), 3)).toBe(edits));

check("createRequest", "createRequest", 0);
check("createRequest", "create_request", 0);
check("ShoudBindJSON", "ShouldBindJSON", 1);
check("createReqeust", "createRequest", 1);
check("createRrequest", "createRequest", 1);
check("createRequest", "createResponse", 4);
check("a", "abcdefgh", 4);

test("the nearest names come first, and distant ones are left out", () => {
  const names = ["bind_json", "ShouldBindJSON", "ShouldBindXML", "ShouldBind", "shouldBindJSON"];
  expect(nearestNames("ShoudBindJSON", names, 5)).toEqual(["ShouldBindJSON", "shouldBindJSON"]);
});

test("names without letters have no distance", () => {
  expect(nearestNames("___", ["_", "a", "abc"], 5)).toEqual(["_", "a"]);
});

test("a path is found elsewhere or by its misspelt name", () => {
  const files = ["src/auth/jwt.ts", "src/jwt.ts", "src/auth/jwk.ts", "src/auth/session.ts"].map((path) => ({ path }));
  expect(nearestPaths("lib/jwt.ts", files)).toEqual(["src/jwt.ts", "src/auth/jwt.ts", "src/auth/jwk.ts"]);
  expect(nearestPaths("src/auth/sesion.ts", files)).toEqual(["src/auth/session.ts"]);
});

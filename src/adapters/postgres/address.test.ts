import { expect, test } from "vitest";
import { addressOf } from "./address.ts";

const check = (given: string, url: string) =>
  test(given, () => expect(addressOf(`postgres://u:p@h/d${given}`).url).toBe(`postgres://u:p@h/d${url}`));

check("", "");
check("?sslmode=disable", "?sslmode=disable");
check("?sslmode=require", "?sslmode=verify-full");
check("?a=1&sslmode=verify-ca&sslrootcert=/x.pem", "?a=1&sslmode=verify-full&sslrootcert=/x.pem");
check("?sslmode=no-verify", "?sslmode=no-verify");
check("?uselibpqcompat=true&sslmode=require", "?uselibpqcompat=true&sslmode=require");

test("what is shown holds no password", () => {
  expect(addressOf("postgres://u:p@h:1/d?sslmode=require").shown).toBe("postgres://u@h:1/d");
});

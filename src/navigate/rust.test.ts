/** What a use means in Rust; each case is a disagreement with the compiler's lints that was traced. */
import { describe } from "vitest";
import { checkUses as check } from "../../test/kit/references.ts";

const cargo = '[package]\nname = "app"\n';
const take = `pub struct Take<T> { inner: T, limit: usize }
pub fn take<T>(inner: T, limit: usize) -> Take<T> { Take { inner, limit } }
impl<T> Take<T> {
    pub fn limit(&self) -> usize { self.limit }
    fn fits(&self) -> bool { assert!(self.limit() > 0, "{}", self.limit); self.limit() > 1 }
}
`;
check(
  "the type of an impl, and a name that is imported by its path",
  { "Cargo.toml": cargo, "src/lib.rs": "mod take;\npub use self::take::Take;\n", "src/take.rs": take },
  ["src/take.rs", "Take"],
  "src/lib.rs:2:20 imports import",
  "src/take.rs:2:42 references exact",
  "src/take.rs:2:52 references exact",
  "src/take.rs:3:8 references exact",
);
check(
  "a method and a field of one name, also inside macro arguments",
  { "Cargo.toml": cargo, "src/lib.rs": take },
  ["src/lib.rs", "limit", 1],
  "src/lib.rs:5:42 calls receiver",
  "src/lib.rs:5:79 calls receiver",
);
check(
  "a field that is set by a local of its name",
  { "Cargo.toml": cargo, "src/lib.rs": take },
  ["src/lib.rs", "inner"],
  "src/lib.rs:2:59 references receiver",
);
check(
  "variants that are taken from their enum",
  {
    "Cargo.toml": cargo,
    "src/lib.rs":
      "enum Kind { Vec, Arc }\nfn f(k: Kind) -> u8 {\n    use Kind::*;\n    match k { Vec => 1, Arc => 2 }\n}\n",
  },
  ["src/lib.rs", "Arc"],
  "src/lib.rs:4:24 references import",
);
check(
  "modules by super, and the bounds of a type parameter",
  {
    "Cargo.toml": cargo,
    "src/lib.rs": "mod buf;\nfn fail() {}\n",
    "src/buf/mod.rs": "mod put;\npub trait Buf { fn left(&self) -> usize; }\n",
    "src/buf/put.rs": "fn put<T: super::Buf>(from: T) {\n    while from.left() > 0 { super::super::fail() }\n}\n",
  },
  ["src/buf/mod.rs", "left"],
  "src/buf/put.rs:2:15 calls receiver",
);
check(
  "the body of a macro",
  {
    "Cargo.toml": cargo,
    "src/lib.rs": "fn fail() {}\nmacro_rules! check { ($x:expr) => { if !$x { fail() } }; }\n",
  },
  ["src/lib.rs", "fail"],
  "src/lib.rs:2:45 calls exact",
);

check(
  "what a type points to is not the type",
  {
    "src/lib.rs": "struct Name;\nimpl Name {\n    fn show(&self) { (**self).show(); (*self).show(); }\n}\n",
  },
  ["src/lib.rs", "show"],
  "src/lib.rs:3:46 calls receiver",
  "src/lib.rs:3:30 calls name_only",
);

describe("variants and associated types", () => {
  const either = {
    "src/lib.rs":
      "pub enum Either { Left(u8), Right(u8) }\npub use crate::Either::{Left, Right};\nimpl Iterator for Either\nwhere\n    R: Iterator<Item = u8>,\n{\n    type Item = u8;\n    fn next(&mut self) -> Option<Self::Item> { None }\n}\nfn f() { Right(2); }\n",
  };
  check(
    "a variant that its own file imports",
    either,
    ["src/lib.rs", "Right"],
    "src/lib.rs:2:30 imports import",
    "src/lib.rs:10:9 calls import",
  );
  check(
    "an associated type of an impl is no name of it",
    either,
    ["src/lib.rs", "Item"],
    "src/lib.rs:8:39 references receiver",
  );
});

check(
  "an associated type that is written through itself",
  {
    "src/lib.rs":
      "pub struct Route;\npub trait Serve { type Next; }\nimpl Serve for Route { type Next = Route::Next::Item; }\n" +
      "fn serve(it: Route::Next::Item) { it.poll(); }\nimpl Route { fn poll(&self) {} }\n",
  },
  ["src/lib.rs", "poll"],
  "src/lib.rs:4:37 calls name_only",
);

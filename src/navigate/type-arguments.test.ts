/** Members behind type parameters: written types, arguments of calls, arguments of supertypes. */
import { describe } from "vitest";
import { checkUses as check } from "../../test/kit/references.ts";

const STORE = `export interface User { name: string }
export interface Other { name: string }
export interface Store<T, E = Other> { get(): T; failed(): E; each(fn: (it: T) => void): void }
export declare function make<V>(first: V): Store<V>;
export declare function all<V>(list: V[], fn: (it: V) => void): V;
`;

describe("type arguments", () => {
  check(
    "of a declared type, and a default",
    {
      "store.ts": STORE,
      "use.ts": `import type { Store, User } from "./store";
function f(users: Store<User>) {
  users.get().name;
  users.failed().name;
  users.each((it) => it.name);
}
`,
    },
    ["store.ts", "name"],
    "use.ts:3:14 references receiver",
    "use.ts:5:24 references receiver",
  );
  check(
    "written at a call, and inferred from its arguments",
    {
      "store.ts": STORE,
      "use.ts": `import { all, make, type User } from "./store";
declare const user: User;
declare const users: User[];
make<User>(null!).get().name;
make(user).get().name;
all(users, (it) => it.name).name;
make(1).get().name;
`,
    },
    ["store.ts", "name"],
    "use.ts:4:24 references receiver",
    "use.ts:5:17 references receiver",
    "use.ts:6:22 references receiver",
    "use.ts:6:28 references receiver",
    "use.ts:7:14 references name_only",
  );
  check(
    "handed to a supertype, through an alias",
    {
      "store.ts": STORE,
      "use.ts": `import type { Store, User } from "./store";
interface Users extends Store<User> { size: number }
type Alias<A> = Store<A>;
class Cache<C> { held!: C; read(): C { return this.held; } }
class UserCache extends Cache<User> {}
declare const users: Users;
declare const alias: Alias<User>;
users.get().name;
alias.get().name;
new UserCache().read().name;
new Cache<User>().held.name;
`,
    },
    ["store.ts", "name"],
    "use.ts:8:12 references receiver",
    "use.ts:9:12 references receiver",
    "use.ts:10:23 references receiver",
    "use.ts:11:23 references receiver",
  );
  check(
    "of call signatures by the number of arguments; literals that a callback gives",
    {
      "a.ts": `export interface State { count: number }
export interface Create {
  <T>(init: (set: (next: T) => void, get: () => T) => T): T;
  <T>(): <U = T>(init: (get: () => T) => T) => T;
}
export declare const create: Create;
`,
      "b.ts": `import { create, type State } from "./a";
create<State>((set, get) => ({ count: get().count }));
create<State>()((get) => ({ count: get().count })).count;
`,
    },
    ["a.ts", "count"],
    "b.ts:2:31 references receiver",
    "b.ts:2:44 references receiver",
    "b.ts:3:28 references receiver",
    "b.ts:3:41 references receiver",
    "b.ts:3:51 references receiver",
  );
  check(
    "parameters of functions whose type is written elsewhere",
    {
      "a.ts": `interface Props { title: string }
type FC<P> = { (props: P): void; label?: string };
const Head: FC<Props> = ({ title }) => title;
interface Hooks { on: (it: Props) => void }
declare const hooks: Hooks;
hooks.on = (it) => it.title;
const other: Hooks = { on(it) { it.title; } };
`,
    },
    ["a.ts", "title"],
    "a.ts:3:27 references receiver",
    "a.ts:6:22 references receiver",
    "a.ts:7:35 references receiver",
  );
  check(
    "a parameter that declares this, not for a class or a function in it",
    {
      "a.ts": `interface Box<T> { held: T; size: number }
function open<T>(this: Box<T>, key: number) {
  this.size;
  [key].map(() => this.size);
  class Inner { size = 1; read() { return this.size; } }
  [key].map(function () { return this.size; });
  return { size: 1, read() { return this.size; } };
}
`,
    },
    ["a.ts", "size"],
    "a.ts:3:7 references receiver",
    "a.ts:4:23 references receiver",
    "a.ts:6:38 references name_only",
    "a.ts:7:11 references name_only",
    "a.ts:7:41 references name_only",
  );
  const conditional = {
    "a.ts": `import type { Box } from "box";
class Own<T> { size = 1; held!: T }
function f<T>(box: Box<T extends string ? 1 : 2>, own: Own<T extends string ? 1 : 2>) {
  own.size;
  box.size;
}
`,
  };
  check(
    "a conditional type as an argument leaves the rest of the type known",
    conditional,
    ["a.ts", "size"],
    "a.ts:4:6 references receiver",
    "a.ts:5:6 references name_only",
  );
  check(
    "a type that holds itself ends",
    {
      "a.ts": `export class Node<T> { value!: T; up(): Node<Node<T>> { return null!; } }
declare const it: Node<string>;
it.up().up().up().up().up().up().up().up().up().value;
function walk<T>(node: Node<T>): T { return walk(node.up()); }
walk(it).value; // a string
`,
    },
    ["a.ts", "value"],
    "a.ts:3:48 references receiver",
  );
});

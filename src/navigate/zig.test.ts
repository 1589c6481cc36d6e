/** What a use means in Zig: files and constants are types, members of what is expected have no receiver. */
import { checkUses as check } from "../../test/kit/references.ts";

const tree = {
  "src/main.zig": `const Stack = @import("stack.zig").Stack;
const util = @import("util/all.zig");
const Store = @import("Store.zig");
pub fn main() !void {
    const s = try Stack.init(1);
    s.push(2) catch {};
    const p: ?*Stack = null;
    try p.?.push(1);
    util.sub.run(Stack{ .len = 1 });
    const store = Store.open();
    store.close();
}
`,
  "src/stack.zig": `pub const Stack = struct {
    len: usize = 0,
    const Self = @This();
    pub fn init(n: usize) !Stack { return .{ .len = n }; }
    pub fn push(self: *Self, x: u8) !void { self.len += 1; try grow(self, x); }
    fn grow(self: *Self, x: u8) !void { _ = .{ self, x }; }
};
`,
  "src/util/all.zig": 'pub const sub = @import("sub.zig");\n',
  "src/util/sub.zig": "pub fn run(x: anytype) void { _ = x; }\n",
  "src/Store.zig": `const Store = @This();
n: usize,
pub fn open() Store { return .{ .n = 1 }; }
pub fn close(self: *Store) void { _ = self.n; }
`,
};
check(
  "a method, through what a function gives and through an optional pointer",
  tree,
  ["src/stack.zig", "push"],
  "src/main.zig:6:6 calls receiver",
  "src/main.zig:8:12 calls receiver",
);
check(
  "a field, also of a literal whose type is the function's result",
  tree,
  ["src/stack.zig", "len"],
  "src/main.zig:9:25 references receiver",
  "src/stack.zig:4:46 references receiver",
  "src/stack.zig:5:49 references receiver",
);
check("a function of the type around it", tree, ["src/stack.zig", "grow"], "src/stack.zig:5:63 calls receiver");
check("a file that another file re-exports", tree, ["src/util/sub.zig", "run"], "src/main.zig:9:13 calls import");
check("a file that is a type", tree, ["src/Store.zig", "close"], "src/main.zig:11:10 calls import");

const made = {
  "router.zig": `pub fn Router(comptime H: type) type {
    return struct {
        list: Items,
        const Self = @This();
        pub fn init(list: Items) Self { return .{ .list = list }; }
        pub fn add(self: *Self, item: Item) void { self.list.push(item); }
    };
}
pub const Items = struct { pub fn push(self: *Items, it: Item) void { _ = .{ self, it }; } };
pub const Item = struct { kind: Kind = .one };
pub const Kind = enum { one, two };
pub fn pick(it: Item) Kind {
    if (it.kind == .two) return .one;
    switch (it.kind) { .one => {}, .two => {} }
    return .two;
}
`,
  "main.zig": `const Router = @import("router.zig").Router;
const Server = struct {
    router: Router(u8),
    fn run(self: *Server) void {
        var other = Router(u8).init(.{});
        other.add(.{ .kind = .two });
        self.router.add(.{});
    }
};
`,
};
check(
  "a method of a type that a function makes",
  made,
  ["router.zig", "add"],
  "main.zig:6:14 calls receiver",
  "main.zig:7:20 calls receiver",
);
check(
  "a field of such a type",
  made,
  ["router.zig", "list"],
  "router.zig:5:51 references receiver",
  "router.zig:6:56 references receiver",
);
check(
  "a variant of the expected type: compared, switched on, returned, handed on",
  made,
  ["router.zig", "two"],
  "main.zig:6:30 references receiver",
  "router.zig:13:20 references receiver",
  "router.zig:14:36 references receiver",
  "router.zig:15:12 references receiver",
);

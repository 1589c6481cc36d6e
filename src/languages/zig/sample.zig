//! What customers order.
const std = @import("std");
const Allocator = std.mem.Allocator;

pub const max_lines: usize = 100;
var counter: u32 = 0;
pub threadlocal var depth: u8 = 1;

/// What a customer ordered.
pub const Order = struct {
    id: u32,
    /// In cents.
    total: i64 = 0,
    lines: []const Line,

    const Self = @This();
    pub const empty: Self = .{ .id = 0, .lines = &.{} };
    var live: usize = 0;

    pub const Line = struct { price: i64 };

    /// Makes an order without lines.
    pub fn init(id: u32) Self {
        const lines: []const Line = &.{};
        return .{ .id = id, .lines = lines };
    }

    fn sum(self: *const Self) i64 {
        var result: i64 = 0;
        for (self.lines) |line| result += line.price;
        return result;
    }

    test "starts empty" {
        try std.testing.expect(init(1).lines.len == 0);
    }
};

pub const Suit = enum(u8) {
    hearts,
    spades = 4,
    _,

    pub const count = 2;

    pub fn label(self: Suit) []const u8 {
        return @tagName(self);
    }
};

const Shape = union(enum) {
    circle: f32,
    none,

    fn area(self: Shape) f32 {
        return self.circle;
    }
};

pub const ShopError = error{ SoldOut, Closed };

const Flags = packed struct(u8) {
    open: bool,
    rest: u7,
};

const Header = extern struct { magic: u32 };

pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn first(self: @This()) T {
            return self.items[0];
        }
    };
}

export fn shop_open(flags: c_int) callconv(.c) c_int {
    return flags;
}

pub extern "c" fn sin(x: f64) f64;

inline fn twice(n: u32) u32 {
    return n * 2;
}

test "adds up" {
    try std.testing.expectEqual(@as(u32, 4), twice(2));
}

test twice {
    _ = twice(1);
}

comptime {
    _ = Order;
}

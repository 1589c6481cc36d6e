/** What a use means in Lua: tables are types and modules, everything else is local or global. */
import { checkUses as check } from "../../test/kit/references.ts";

const tree = {
  "lua/app/store.lua": `local util = require "app.util"
local M = {}
M.limit = 3
local function check(x) return x end
function M.new() local self = setmetatable({}, M); self:open(); return self end
function M:open() check(1); return util.trim(self.limit) end
return M
`,
  "lua/app/util.lua": "local function trim(s) return s end\nfunction warn_user(x) end\nreturn { trim = trim }\n",
  "lua/app/main.lua": `local Store = require("app.store")
local store = Store.new()
store:open()
print(Store.limit, require("app.util").trim("x"))
local function f(any) any:open(); warn_user(1) end
`,
};
check(
  "a method, through a value that a function of its module made",
  tree,
  ["lua/app/store.lua", "open"],
  "lua/app/main.lua:3:6 calls receiver",
  "lua/app/store.lua:5:56 calls receiver",
  "lua/app/main.lua:5:26 calls name_only",
);
check(
  "a field of a module",
  tree,
  ["lua/app/store.lua", "limit"],
  "lua/app/main.lua:4:12 references import",
  "lua/app/store.lua:6:50 references receiver",
);
check(
  "a local that the file returns in a table",
  tree,
  ["lua/app/util.lua", "trim"],
  "lua/app/main.lua:4:39 calls import",
  "lua/app/store.lua:6:40 calls import",
  "lua/app/util.lua:3:16 references exact",
);
check("a global", tree, ["lua/app/util.lua", "warn_user"], "lua/app/main.lua:5:34 calls import");
check("a local function", tree, ["lua/app/store.lua", "check"], "lua/app/store.lua:6:18 calls exact");

const iterators = {
  "iter.lua": `local exports = {}
local pairs = pairs
local split = function(x) return x end
exports.split = split
for k in pairs(split(1)) do print(k) end
return exports
`,
  "use.lua": 'local iter = require("iter")\niter.split("x")\n',
};
check("a local is not seen in its own value", iterators, ["iter.lua", "pairs"], "iter.lua:5:9 calls exact");
check("a field is not the local of its name", iterators, ["iter.lua", "split", 1], "use.lua:2:5 calls import");

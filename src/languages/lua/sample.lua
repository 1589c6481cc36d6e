local json = require("json")
require "shop.base"

local M = {}

local MAX_LINES = 100
local LIMIT <const> = 5
local cache, hits = {}, 0
VERSION = "1.2"

M.defaults = {
  retries = 3,
  on_error = function(err)
    print(err)
  end,
}

--- Opens the shop.
-- @param path where it is
function M.open(path)
  local inner = 1
  return path .. inner
end

function M:close()
  self.open = nil
end

--[[
  Adds up the lines
  of an order.
]]
local function total(lines)
  local sum = 0
  for _, line in ipairs(lines) do
    sum = sum + line.price
  end
  return sum
end

function main(...)
  return total({ ... })
end

local function nothing() end

M.load = function(name)
  return json.decode(name)
end

M.util.trim = function(text) end

M["pay now"] = function() end

local double = function(n)
  return n * 2
end

apply = function(f, x)
  return f(x)
end

local Order = {
  kind = "order",
  new = function(self, id)
    return setmetatable({ id = id }, self)
  end,
  ["to string"] = function() end,
}
Order.__index = Order

function Order.__tostring(order)
  return "order " .. order.id
end

return {
  setup = function(opts)
    cache = opts
  end,
  version = 1,
}

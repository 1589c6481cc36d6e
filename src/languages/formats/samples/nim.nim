import std/tables
const Max = 10
type
  Order* = object
    id: int
  State = enum
    open, paid
## Adds up.
proc total*(lines: seq[int]): int =
  proc inner() = discard
  result = 1
template twice(body) =
  body

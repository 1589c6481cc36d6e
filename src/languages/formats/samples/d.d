module shop.orders;
import std.stdio;
/// An order.
class Order : Base {
  this(int id) { }
  private int total(int[] lines) const @safe { return 1; }
}
struct Line { int price; }
enum State { open, paid }
alias Lines = Line[];
template Twice(T) { T x; }
T sum(T)(T[] all) if (isNumeric!T) { foreach (x; all) { call(x); } return all[0]; }
/+ void hidden() { /+ +/ } +/

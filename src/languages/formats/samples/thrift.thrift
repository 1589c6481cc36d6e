include "base.thrift"
const i32 MAX = 10
typedef i64 OrderId
enum State { OPEN = 1
  PAID = 2 }
/** An order. */
struct Order {
  1: required OrderId id
  2: optional map<string, list<i32>> lines
}
service Shop extends base.Service {
  Order place(1: Order order) throws (1: Refused no)
  oneway void forget(1: OrderId id)
}

/** What a use means in Kotlin: extensions, and syntax that the grammar does not know. */
import { checkUses as check } from "../../test/kit/references.ts";

const tree = {
  "src/shop/Order.kt": `package shop
class Order(val id: Int) { fun total() = id }
fun Order.twice() = total() * 2 + this.total()
fun Order.both() = twice()
sealed interface State { data class Open(val x: Int) : State }
context(Order) fun inContext() = 1
fun late(o: Order) = o.total()
`,
  "src/app/Main.kt": "package app\nimport shop.Order\nimport shop.twice\nfun main(o: Order) = o.twice()\n",
};
check(
  "a method, inside an extension of its class and behind a class on one line",
  tree,
  ["src/shop/Order.kt", "total"],
  "src/shop/Order.kt:3:20 calls receiver",
  "src/shop/Order.kt:3:39 calls receiver",
  "src/shop/Order.kt:7:23 calls receiver",
);
check(
  "an extension, by its import, on a receiver and without one",
  tree,
  ["src/shop/Order.kt", "twice"],
  "src/app/Main.kt:3:12 imports import",
  "src/app/Main.kt:4:23 calls receiver",
  "src/shop/Order.kt:4:19 calls receiver",
);

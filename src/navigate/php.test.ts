/** What a use means in PHP: names with their namespaces, static members, a field and a method of one name. */
import { checkUses as check } from "../../test/kit/references.ts";

const tree = {
  "src/Shop/Order.php": `<?php
namespace Shop;
class Order {
  private static $count = 0;
  public $name = '';
  public function name() { return $this->name; }
  public static function make(): self { self::$count++; return new self(); }
  public function run() { $this->name(); }
}
function helper($x) { return $x; }
`,
  "src/App/main.php": `<?php
namespace App;
class Sub extends \\Shop\\Order {}
function go(\\Shop\\Order $o) {
  \\Shop\\Order::make()->run();
  return \\Shop\\helper(\\strlen("x"));
}
`,
};
check(
  "a class by its full name",
  tree,
  ["src/Shop/Order.php", "Order"],
  "src/App/main.php:3:24 extends import",
  "src/App/main.php:4:18 references import",
  "src/App/main.php:5:8 references import",
);
check("a function by its full name", tree, ["src/Shop/Order.php", "helper"], "src/App/main.php:6:15 calls import");
check(
  "a method of what a static call gives",
  tree,
  ["src/Shop/Order.php", "run"],
  "src/App/main.php:5:23 calls receiver",
);
check("a static field", tree, ["src/Shop/Order.php", "count"], "src/Shop/Order.php:7:47 references receiver");
check(
  "a field, not the method of its name",
  tree,
  ["src/Shop/Order.php", "name"],
  "src/Shop/Order.php:6:41 references receiver",
);

check(
  "the name of a namespace is no use of a class",
  {
    "Time.php": "<?php\nnamespace App\\Type;\nclass Time {}\n",
    "Clock.php": "<?php\nnamespace App\\Clock\\Time;\nuse App\\Type\\Time;\nfunction f(Time $t) {}\n",
  },
  ["Time.php", "Time"],
  "Clock.php:3:4 imports import",
  "Clock.php:4:11 references import",
);

/** What a use means in Dart: packages by their pubspec, members by type, constructors with names. */
import { checkUses as check } from "../../test/kit/references.ts";

const tree = {
  "pubspec.yaml": "name: app\n",
  "lib/app.dart": "export 'src/shop.dart';\n",
  "lib/src/shop.dart": `import 'base.dart';
class Order extends Base<int> with Named {
  final int size;
  final List<Line> lines = [];
  Order(this.size) : super(1);
  Order.empty() : this(0);
  void run(Line? first) {
    for (final item in lines) { item.go(); }
    var line = Line(1);
    first?.go();
    start();
    print('$size');
    lines.first.go();
    line..go()..count = 2;
  }
}
class Line { int count; Line(this.count); void go() {} }
`,
  "lib/src/base.dart": "abstract class Base<T> { Base(int x); void start() {} }\nmixin Named {}\n",
  "test/app_test.dart": `import 'package:app/app.dart';
void main() { final order = Order.empty(); order.start(); }
`,
};
check(
  "a method, by declared types and elements; after a cascade by its name",
  tree,
  ["lib/src/shop.dart", "go"],
  "lib/src/shop.dart:8:37 calls receiver",
  "lib/src/shop.dart:10:11 calls receiver",
  "lib/src/shop.dart:13:16 calls receiver",
  "lib/src/shop.dart:14:10 calls name_only",
);
check(
  "a field, in a constructor's parameters and in a string",
  tree,
  ["lib/src/shop.dart", "size"],
  "lib/src/shop.dart:5:13 references receiver",
  "lib/src/shop.dart:12:12 references receiver",
);
check(
  "an inherited method",
  tree,
  ["lib/src/base.dart", "start"],
  "lib/src/shop.dart:11:4 calls receiver",
  "test/app_test.dart:2:49 calls receiver",
);
check("a constructor with a name", tree, ["lib/src/shop.dart", "empty"], "test/app_test.dart:2:34 calls receiver");
check("a mixin", tree, ["lib/src/base.dart", "Named"], "lib/src/shop.dart:2:35 extends import");

check(
  "a parameter in a constructor's initializers is not the field of its name",
  {
    "lib/plugin.dart":
      "class Plugin {\n  final Set<int> kept;\n  Plugin({Set<int>? kept}) : kept = Set<int>.of({1, ...?kept});\n  bool has(int x) => kept.contains(x);\n}\n",
  },
  ["lib/plugin.dart", "kept"],
  "lib/plugin.dart:4:21 references receiver",
  "lib/plugin.dart:3:29 references name_only",
);

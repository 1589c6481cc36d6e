/** What a use means in Swift: targets by the manifest, extensions of types of other files. */
import { checkUses as check } from "../../test/kit/references.ts";

const shop = {
  "Package.swift":
    'let package = Package(name: "Shop", targets: [\n  .target(name: "Shop", path: "Sources"),\n  .testTarget(name: "ShopTests", dependencies: ["Shop"]),\n])\n',
  "Sources/Net/Loader.swift":
    "open class Loader {\n    open func load(with url: String) -> Int { 1 }\n}\npublic typealias Capture = Loader\n",
  "Sources/UI/View.swift":
    'extension Capture {\n    func run() {}\n}\nlet capture = Capture()\nlet one = Loader().load(with: "x")\n',
  "Tests/ShopTests/LoaderTests.swift":
    '@testable import Shop\nclass LoaderTests {\n    var loader: Loader!\n    func testLoad() { loader.load(with: "x") { print($0) } }\n}\n',
  "Tests/OtherTests/Other.swift":
    'class Other {\n    var loader: Loader!\n    func testLoad() { loader.load(with: "y") }\n}\n',
};
check(
  "a method of a target whose folder the manifest names",
  shop,
  ["Sources/Net/Loader.swift", "load"],
  "Sources/UI/View.swift:5:19 calls receiver",
  "Tests/ShopTests/LoaderTests.swift:4:29 calls receiver",
  "Tests/OtherTests/Other.swift:3:29 calls name_only",
);
check(
  "a type that the file extends",
  shop,
  ["Sources/Net/Loader.swift", "Capture"],
  "Sources/UI/View.swift:1:10 references import",
  "Sources/UI/View.swift:4:14 calls import",
);

const moya = {
  "Sources/Moya/Provider.swift": `import Foundation
public enum StubBehavior { case never }
public protocol TargetType { var headers: Int { get } }
final class Provider { func never(_: Int) -> Moya.StubBehavior { .never } }
enum Multi: TargetType {
    case target(TargetType)
    var headers: Int { target.headers }
    var target: TargetType { switch self { case .target(let it): return it } }
}
`,
};
check(
  "a type by the name of its target",
  moya,
  ["Sources/Moya/Provider.swift", "StubBehavior"],
  "Sources/Moya/Provider.swift:4:50 references import",
);
check(
  "a member of a property, beside a case of its name",
  moya,
  ["Sources/Moya/Provider.swift", "headers"],
  "Sources/Moya/Provider.swift:7:30 references receiver",
);

check(
  "a name behind a dot alone is of the expected type, not of the type around it",
  {
    "Sources/Kit/A.swift":
      "struct Attributes { static let edges = Attributes() }\nclass Maker {\n    var edges: Int { make(.edges) }\n    func make(_ it: Attributes) -> Int { 1 }\n}\n",
  },
  ["Sources/Kit/A.swift", "edges"],
  "Sources/Kit/A.swift:3:27 references name_only",
);

/** What a use means in Ruby: names with marks, calls without a receiver, modules that are mixed in. */
import { checkUses as check } from "../../test/kit/references.ts";

const tree = {
  "lib/shop/order.rb": `require "shop/priced"
module Shop
  class Order
    include Priced
    def valid?; total > 0 && check!(1); end
    def run
      return unless valid?
      save!
    end
    def check!(n); n; end
  end
end
`,
  "lib/shop/priced.rb": "module Shop\n  module Priced\n    def total; price; end\n    def price; 1; end\n  end\nend\n",
  "lib/shop/store.rb": "class Shop::Order\n  def save!; valid?; end\nend\n",
};
check(
  "a name with a question mark",
  tree,
  ["lib/shop/order.rb", "valid?"],
  "lib/shop/order.rb:7:20 calls receiver",
  "lib/shop/store.rb:2:13 calls receiver",
);
check(
  "a method of the same class in another file",
  tree,
  ["lib/shop/store.rb", "save!"],
  "lib/shop/order.rb:8:6 calls receiver",
);
check("a method that is mixed in", tree, ["lib/shop/priced.rb", "total"], "lib/shop/order.rb:5:16 references receiver");
check(
  "a method of the same module",
  tree,
  ["lib/shop/priced.rb", "price"],
  "lib/shop/priced.rb:3:15 references receiver",
);

const boxes = {
  "lib/box.rb":
    "class Box\n  def initialize(n); @n = n; end\n  def self.empty; new(0); end\nend\nclass Crate < Box; end\nclass Jar < Box\n  def initialize; super(1); end\nend\n",
  "lib/use.rb": "def pack\n  [Box.new(1), Crate.new(2), Jar.new, Other.new(3)]\nend\n",
};
check(
  "what makes an instance calls initialize, unless a subclass has its own",
  boxes,
  ["lib/box.rb", "initialize"],
  "lib/box.rb:3:18 calls receiver",
  "lib/use.rb:2:7 calls receiver",
  "lib/use.rb:2:21 calls receiver",
);

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

const reopened = {
  "lib/app/plugins/a.rb": "class App\n  module Plugins\n    module A; end\n    register A\n  end\nend\n",
  "lib/app/plugins/b.rb": "class App\n  module Plugins\n    def self.register(it); end\n  end\nend\n",
  "spec/a_spec.rb": "describe App::Plugins::A do\n  App::Plugins.register(1)\nend\n",
};
check(
  "a module that several files add to, by each of its parts",
  reopened,
  ["lib/app/plugins/b.rb", "Plugins"],
  "spec/a_spec.rb:1:14 references receiver",
  "spec/a_spec.rb:2:7 references receiver",
);

const connections = {
  "lib/pool.rb": `class Pool
  attr_reader :first
  def initialize; @first = Connection.new(1); end
  def find; Connection.new(2) { |it| it }; end
  def self.limit; 1; end
  def size; self.class.limit; end
end
class Connection
  def open; end
end
`,
  "spec/pool_spec.rb": `describe Pool do
  subject { described_class.new }
  let(:conn) { Connection.new(1) }
  it "opens" do
    conn.open
    subject.first.open
    subject.find.open
    other.open
  end
end
`,
};
check(
  "values of RSpec, instance variables and results of methods",
  connections,
  ["lib/pool.rb", "open"],
  "spec/pool_spec.rb:5:9 calls receiver",
  "spec/pool_spec.rb:6:18 calls receiver",
  "spec/pool_spec.rb:7:17 calls receiver",
  "spec/pool_spec.rb:8:10 calls name_only",
);
check("a method of its class", connections, ["lib/pool.rb", "limit"], "lib/pool.rb:6:23 calls receiver");

const handlers = {
  "lib/puma/config.rb": "module Puma\n  class Config\n    def clamp; end\n  end\nend\n",
  "lib/puma/thread.rb": "module Puma\n  class Thread < Puma::Config; end\nend\n",
  "lib/rack/puma.rb":
    "module Rack\n  module Puma\n    def self.run; ::Puma::Config.new.clamp; end\n    def self.old; Puma::Config.new.clamp; end\n  end\nend\n",
  "test/config_test.rb": "def test_it\n  conf = Puma::Config.new do |c|\n    c.port 1\n  end\n  conf.clamp\nend\n",
};
check(
  "a module of the top level, beside one of its name in another module",
  handlers,
  ["lib/puma/config.rb", "clamp"],
  "lib/rack/puma.rb:3:37 calls receiver",
  "test/config_test.rb:5:7 calls receiver",
  "lib/rack/puma.rb:4:35 calls name_only",
);

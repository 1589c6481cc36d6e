/** What a use means in Elixir: modules by their full names, functions by imports, attributes apart from both. */
import { checkUses as check } from "../../test/kit/references.ts";

const tree = {
  "lib/shop/orders.ex": `defmodule Shop.Orders do
  alias Shop.{Repo, User}
  alias Shop.Deep.Thing, as: T
  import Shop.Query, only: [from: 2]
  @limit 10
  @spec run(User.t(), integer) :: :ok
  def run(%User{} = user, n) when n > @limit do
    limit = Repo.get(user, n)
    from(T.go(limit), valid?(n))
    Enum.map([], &helper/1)
    __MODULE__.run(user, 2)
  end
  def run(nil, _), do: helper(1)
  defp helper(a), do: a
  defp valid?(x), do: x
end
`,
  "lib/shop/repo.ex": "defmodule Shop.Repo do\n  def get(a, b), do: {a, b}\nend\n",
  "lib/shop/user.ex": "defmodule Shop.User do\n  @type t :: integer\nend\n",
  "lib/shop/query.ex": `defmodule Shop.Query do
  defmacro from(a, b), do: {a, b}
end
defmodule Shop.Deep.Thing do
  def go(a), do: Shop.Orders.run(a, 2)
end
`,
};
check(
  "a function with two clauses, by its module's name and by __MODULE__",
  tree,
  ["lib/shop/orders.ex", "run"],
  "lib/shop/orders.ex:11:15 calls receiver",
  "lib/shop/query.ex:5:29 calls receiver",
);
check("a function of an aliased module", tree, ["lib/shop/repo.ex", "get"], "lib/shop/orders.ex:8:17 calls receiver");
check(
  "a module under a name of the file's own",
  tree,
  ["lib/shop/query.ex", "Shop.Deep.Thing"],
  "lib/shop/orders.ex:3:8 imports import",
  "lib/shop/orders.ex:9:9 references import",
);
check("a macro that is imported", tree, ["lib/shop/query.ex", "from"], "lib/shop/orders.ex:9:4 calls import");
check(
  "an attribute, not a variable of its name",
  tree,
  ["lib/shop/orders.ex", "limit"],
  "lib/shop/orders.ex:7:39 references exact",
);
check(
  "a function that is captured",
  tree,
  ["lib/shop/orders.ex", "helper"],
  "lib/shop/orders.ex:10:18 calls exact",
  "lib/shop/orders.ex:13:23 calls exact",
);
check("a type of another module", tree, ["lib/shop/user.ex", "t"], "lib/shop/orders.ex:6:17 calls receiver");
check(
  "a module inside another, by its full name",
  {
    "lib/a.ex": "defmodule Shop.Order do\n  defmodule Line do\n    def new(x), do: x\n  end\nend\n",
    "lib/b.ex":
      "defmodule Shop.Main do\n  alias Shop.Order\n  def a, do: Shop.Order.Line.new(1)\n  def b, do: Order.Line\nend\n",
  },
  ["lib/a.ex", "Line"],
  "lib/b.ex:3:13 references receiver",
  "lib/b.ex:4:13 references receiver",
);

const clauses = {
  "lib/enc.ex": `defmodule Enc do
  def run(data), do: esc(data, 0)
  for {a, b} <- [{1, 2}] do
    defp esc(<<unquote(a), rest::bits>>, skip) do
      esc(rest, skip + unquote(b))
    end
  end
  defp esc(<<>>, skip) do
    skip
  end
end
`,
};
check(
  "a function whose clauses are made in a loop",
  clauses,
  ["lib/enc.ex", "esc", 1],
  "lib/enc.ex:2:21 calls exact",
  "lib/enc.ex:5:6 calls exact",
);

/** What a use means in Haskell: names by import lists and qualifiers, types apart from constructors. */
import { checkUses as check } from "../../test/kit/references.ts";

const tree = {
  "src/Shop/Order.hs": `module Shop.Order (run, Shape(..), module Shop.Base) where
import qualified Shop.Util as U
import Shop.Base (helper, (<+>))
data Shape a = Circle { radius :: Double } | Square a
newtype W = W { unW :: Int }
class Area a where
  area :: a -> Double
instance Area (Shape a) where
  area (Circle r) = r * 2
run :: Area a => Shape a -> U.Box -> W
run s m = do
  x <- helper (radius s) (U.insert' m)
  let go z = z + f' x
  mapM_ area [go x]
  return $ s { radius = 2 } <+> W 1
 where f' n = n
go :: Int -> W
go helper = W helper
`,
  "src/Shop/Base.hs": "module Shop.Base where\nhelper :: Int -> Int\nhelper n = n\n(<+>) :: a -> b -> a\na <+> b = a\n",
  "src/Shop/Util.hs": "module Shop.Util where\ntype Box = Int\ninsert' :: Int -> Int\ninsert' n = n\n",
  "app/Main.hs": "module Main where\nimport Shop.Order\nmain = run (Square 1) (helper 2) >> print (go 3)\n",
};
check(
  "a function that a module hands on; a parameter of its name is another",
  tree,
  ["src/Shop/Base.hs", "helper"],
  "app/Main.hs:3:23 calls import",
  "src/Shop/Order.hs:3:18 imports import",
  "src/Shop/Order.hs:12:7 calls import",
);
check("a name with a prime, qualified", tree, ["src/Shop/Util.hs", "insert'"], "src/Shop/Order.hs:12:28 calls import");
check(
  "an operator",
  tree,
  ["src/Shop/Base.hs", "<+>"],
  "src/Shop/Order.hs:3:27 imports import",
  "src/Shop/Order.hs:15:28 calls import",
);
check(
  "a type, not its constructor",
  tree,
  ["src/Shop/Order.hs", "W"],
  "src/Shop/Order.hs:10:37 references exact",
  "src/Shop/Order.hs:17:13 references exact",
);
check(
  "the constructor",
  tree,
  ["src/Shop/Order.hs", "W", 1],
  "src/Shop/Order.hs:15:32 calls exact",
  "src/Shop/Order.hs:18:12 calls exact",
);
check(
  "a field",
  tree,
  ["src/Shop/Order.hs", "radius"],
  "src/Shop/Order.hs:12:15 calls exact",
  "src/Shop/Order.hs:15:15 calls exact",
);
check("a method of a class", tree, ["src/Shop/Order.hs", "area"], "src/Shop/Order.hs:14:8 calls exact");
check("a local function hides one of the file", tree, ["src/Shop/Order.hs", "go"], "app/Main.hs:3:43 calls import");

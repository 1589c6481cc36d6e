{-# LANGUAGE GADTs #-}

-- | What customers order.
module Data.Shop (Order (..), total, Priced (..)) where

import Data.List (sortOn)
import qualified Data.Map.Strict as Map

-- | Cents, never fractions.
type Money = Int

-- | What a customer ordered.
data Order a
  = Order {orderId :: Int, items, extras :: [a]}
  | Empty Int
  | a :+: Money
  deriving (Show, Eq)

newtype Email = Email {unEmail :: String}
  deriving newtype (Show)

data Expr a where
  IntE :: Int -> Expr Int
  BoolE, NotE :: Bool -> Expr Bool

data Void

class (Eq a) => Priced a where
  type Currency a
  -- | What it costs.
  price :: a -> Money
  discount, tax :: a -> Money
  discount _ = 0

instance Priced (Order a) where
  price (Order _ xs _) = length xs
  price (Empty _) = 0
  price _ = 1

deriving instance Show Void

-- | Adds it all up.
total :: Order a -> Money
-- An empty order costs nothing.
total (Empty _) = 0
total (Order _ xs ys) = go xs + go ys
  where
    go :: [a] -> Int
    go zs = length zs
total (_ :+: m) = m

limit, retries :: Int
limit = 100
retries = 3

byName :: [String] -> [String]
byName = sortOn length

(<+>) :: Money -> Money -> Money
a <+> b = a + b

infixl 6 <+>

classify :: Int -> String
classify n
  | n > limit = "large"
  | otherwise = "small"

type family Elem c where
  Elem [a] = a

foreign import ccall "sin" c_sin :: Double -> Double

main :: IO ()
main = do
  let shown = show (classify 3)
  putStrLn shown

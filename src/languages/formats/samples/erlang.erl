-module(shop_order).
-export([total/1]).
-include("shop.hrl").
-behaviour(gen_server).
-define(MAX, 10).
-record(order, {id :: integer(), total = 1.5}).
-type state() :: open | paid.
-callback pay(integer()) -> ok.

%% Adds up.
-spec total(
    list()) ->
    number().
total([]) -> 0;
total([H | T]) ->
    %% hidden() -> 1.
    H + total(T).

'odd name'(X) -> "hidden() -> 1. ", $%, X.
price(_) -> 1.5.
price(_, _) -> 2.

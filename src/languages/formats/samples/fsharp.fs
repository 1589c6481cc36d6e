namespace Shop
open System

/// States of an order.
type State =
    | Open
    | Paid of decimal

type Order =
    { Id: int
      Total: decimal }
    member this.Pay(amount) = amount
    static member Create id = id

module Orders =
    let tax = 0.2m
    let private total (order: Order) =
        let inner x = x
        order.Total
    let rec find id = function
        | [] -> None
    (* let hidden = 1 *)

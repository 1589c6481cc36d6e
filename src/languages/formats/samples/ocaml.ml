open Base
(* let hidden = (* nested *) 1 *)

(** An order. *)
type order = {
  id : int;
  mutable total : float;
}

type 'a state =
  | Open
  | Paid of 'a

exception Unpaid of int
module type PAYER = sig
  val pay : order -> unit
  val name : string
end

module Cart = struct
  let empty = []
  let add line cart =
    let inner = line in
    inner :: cart
end

let tax = 0.2
let rec total ?(tax = 0.) lines =
  match lines with
  | Some x -> x
  | None -> "let no = 1"
and ( + ) a b = a

class cart = object
  method size = 1
end

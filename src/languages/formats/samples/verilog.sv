`include "defs.vh"
`define WIDTH 8
package shop_pkg;
  typedef enum logic [1:0] {OPEN, PAID} state_t;
  localparam int MAX = 10;
endpackage

// Counts orders.
module counter #(parameter WIDTH = 8) (input wire clk, output reg [7:0] q);
  import shop_pkg::*;
  function automatic [7:0] next(input [7:0] x);
    next = x + 1;
  endfunction
  task reset;
    q <= 0;
  endtask
  always @(posedge clk) begin q <= next(q); end
endmodule

class order extends base;
  extern function void pay(int amount);
  virtual function int total();
    return 1;
  endfunction
endclass
function void order::pay(int amount);
endfunction
interface bus_if(input clk);
endinterface

library ieee;
use ieee.std_logic_1164.all;
--! Counts orders.
entity counter is
  port (clk : in std_logic);
end entity;
architecture rtl of counter is
  constant MAX : integer := 10;
  signal q : integer;
  type state_t is (open_s, paid_s);
  function next_q(x : integer) return integer is
    variable inner : integer;
  begin
    return x + 1;
  end function;
begin
  count : process (clk)
  begin
    q <= next_q(q);
  end process;
  many : for i in 0 to MAX generate
    constant LOW : integer := 0;
  begin
  end generate;
end architecture;
package shop_pkg is
  function total(a : integer; b : unsigned(7 downto 0)) return integer;
  constant LIMIT : integer := 5;
end package;

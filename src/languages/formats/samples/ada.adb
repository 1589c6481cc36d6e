with Ada.Text_IO;
-- Sells.
package body Shop is
   type Order is record
      Id : Integer;
   end record;
   Unpaid : exception;
   function Total (Lines : Integer) return Integer is
      function Inner return Integer is (1);
   begin
      return Lines;
   end Total;
   procedure Pay;
end Shop;

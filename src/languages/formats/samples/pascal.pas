unit Shop.Orders;
interface
uses SysUtils;
type
  TState = (open, paid);
  { An order. }
  TOrder = class(TObject)
  private
    FId: Integer;
  public
    constructor Create(Id: Integer);
    function Total: Currency; virtual;
    property Id: Integer read FId;
  end;
  TLine = record
    Price: Currency;
  end;
procedure Pay(Order: TOrder);
implementation
constructor TOrder.Create(Id: Integer);
begin
  FId := Id;
end;
// Adds up.
function TOrder.Total: Currency;
begin
  Result := 1; (* procedure Hidden; *)
end;
procedure Pay(Order: TOrder);
begin
  WriteLn('procedure No');
end;
end.

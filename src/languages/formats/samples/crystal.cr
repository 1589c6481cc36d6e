require "json"
# An order.
class Order < Base
  MAX = 10
  property id : Int32
  def total(lines)
    lines.each do |x|
      x
    end
  end
  private def self.hidden?
  end
end
module Shop
  enum State
    Open
  end
end

# frozen_string_literal: true

require "json"
require_relative "base"

module Shop::Core
  VERSION = "1.2"
  LIMITS = {
    small: 10,
  }.freeze

  # What a customer ordered.
  # Lines are kept in order.
  class Order < Entity
    include Comparable

    attr_accessor :id, :total
    attr_reader "note"

    MAX_LINES = 100

    def initialize(id, note: nil)
      @id = id
      @note = note
    end

    # Nothing in it?
    def empty? = @lines.empty?

    def <=>(other)
      total <=> other.total
    end

    def note=(text)
      @note = text.strip
    end

    def self.build(*args)
      new(*args)
    end

    class << self
      def registry
        @registry ||= {}
      end
    end

    alias cost total
    alias_method :price, :total
    define_method(:label) { "order #{id}" }

    protected def secret_key; end

    private

    def recalculate
      @total = @lines.sum(&:total)
    end

    attr_writer :cache

    def reset
    end
  end

  class Errors::NotFound < StandardError; end

  Point = Struct.new(:x, :y) do
    def length
      Math.sqrt(x * x + y * y)
    end
  end

  module Helpers
    module_function

    def money(cents)
      format("%.2f", cents / 100.0)
    end
  end
end

Shop::DEFAULT = Shop::Core::Order.build(1)

def main(argv)
  puts argv.first
end

def Shop.version
  Shop::Core::VERSION
end

RSpec.describe "orders" do
  it "adds up" do
    order = described_class.new(1)
    def order.total = 3
    expect(order.total).to eq(3)
  end
end

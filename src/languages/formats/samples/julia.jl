module Shop

using DataFrames
import Base: show

#= function hidden()
end =#
const MAX = 10

# Something with a price.
abstract type Priced end

mutable struct Order{T<:Real} <: Priced
    id::Int
    lines::Vector{T}
    Order(id) = new(id, [])
end

"""
    total(order)
"""
function total(order::Order; tax=0.2)
    prices = [l.price for l in order.lines if l.price > 0]
    last = prices[end]
    map(prices) do p
        p + 1
    end
end

Base.show(io::IO, o::Order) = print(io, "order end")
function Base.:+(a::Order, b::Order) where {T}
    'e'
end

@inline paid!(o) = true

macro twice(ex)
    quote
        $(esc(ex))
    end
end

end

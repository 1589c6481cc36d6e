import Foundation
@testable import struct Vapor.Route

/// Cents, never fractions.
public typealias Money = Int

let maxLines = 100
private var cache: [Int: Order] = [:]

/// What a customer ordered.
@available(iOS 13, macOS 10.15, *)
public final class Order: Entity, Codable {
    public static let shared = Order(id: 0)
    private(set) public var lines: [Line] = []
    fileprivate let width = 1, height = 2

    /// How many lines there are.
    var count: Int {
        lines.count
    }

    public init(id: Int) {
        self.id = id
    }

    convenience init?(text: String) {
        guard let id = Int(text) else { return nil }
        self.init(id: id)
    }

    deinit {
        cache.removeAll()
    }

    @discardableResult
    public func add<T>(_ item: T, at index: Int = 0) throws -> Bool where T: Priced {
        let before = lines.count
        func grown() -> Bool { lines.count > before }
        return grown()
    }

    static func + (left: Order, right: Order) -> Order { left }

    subscript(index: Int) -> Line {
        lines[index]
    }

    class Line {}

    private class func make() {}
}

struct Point<T: Numeric>: Equatable {
    var x: T
    var y: T

    mutating func move(by dx: T) { x += dx }
}

enum Suit: String, CaseIterable {
    case hearts, spades = "S"
    case joker
    static let wild = Suit.joker
    var label: String { rawValue }

    func beats(_ other: Suit) -> Bool { self == .joker }
}

indirect enum Tree {
    case leaf
    case node(Tree, value: Int)
}

public protocol Priced: AnyObject {
    associatedtype Currency
    var price: Money { get set }
    func discount(percent: Int) -> Money
    init(price: Money)
}

extension Order: Priced {
    func discount(percent: Int) -> Money { 0 }
}

extension Array where Element == Order {
    var total: Money { reduce(0) { $0 + $1.price } }
}

actor Bank {
    private var balance = 0
    func deposit(_ amount: Money) async { balance += amount }
}

open class Base {}

infix operator <+>

#if DEBUG
internal func dump(_ order: Order) -> String {
    let text = "\(order.id)"
    return text
}
#endif

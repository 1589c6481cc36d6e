package com.acme.shop

import java.time.Instant
import java.util.UUID as Id

/** Cents, never fractions. */
typealias Money = Long

const val MAX_LINES: Int = 100
private val cache = mutableMapOf<Id, Order>()
var clock: () -> Instant = { Instant.now() }

/**
 * What a customer ordered.
 */
@Serializable
data class Order(val id: Id, internal var total: Money = 0, note: String) : Entity(id), Priced {
    private val lines = ArrayList<Line>()

    val size: Int
        get() = lines.size

    constructor(id: Id) : this(id, 0, "") {
        require(id.version() == 4)
    }

    init {
        check(total >= 0)
    }

    @Deprecated("the private way", ReplaceWith("plus"))
    fun add(line: Line): Boolean {
        val before = lines.size
        fun grown() = lines.size > before
        lines.add(line)
        return grown()
    }

    protected open suspend fun <T> load(block: suspend () -> T): T = block()

    companion object {
        const val EMPTY = 0

        // Without lines.
        fun of(id: Id) = Order(id)
    }

    inner class Line(val quantity: Int)
}

class Vault private constructor(private val key: ByteArray) {
    companion object Factory : Maker<Vault> {
        override fun make(): Vault = Vault(ByteArray(32))
    }
}

sealed class Shipment {
    object Pending : Shipment()
    data class Sent(val at: Instant) : Shipment()
}

interface Priced {
    val price: Money
    fun discount(percent: Int): Money = price * percent / 100
}

fun interface Rule {
    fun allows(order: Order): Boolean
}

enum class Size(val grams: Int) {
    SMALL(500),
    LARGE(5_000) {
        override fun label() = "XL"
    };

    val heavy: Boolean
        get() = grams > 1_000

    open fun label() = name
}

internal object Registry : Base() {
    lateinit var owner: String

    fun reset() {
        cache.clear()
    }
}

fun List<Order>.sumTotal(): Money = sumOf { it.total }

private inline fun String?.orDash(): String = this ?: "-"

val Order.isEmpty: Boolean get() = size == 0

suspend fun <K, V> retry(times: Int, block: suspend (K) -> V): V where K : Any {
    TODO()
}

annotation class Audited

@JvmInline
value class Email(val text: String)

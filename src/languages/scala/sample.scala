package com.acme
package shop

import scala.util.Try
import com.acme.text.{Name, Label => Tag}

/** Cents, never fractions. */
type Money = Long
opaque type Id = Int

val maxLines = 100
private var clock: () => Long = () => 0L

/**
 * What a customer ordered.
 */
@SerialVersionUID(1L)
final case class Order[T](id: Id, private val total: Money)(implicit ev: Show[T])
    extends Entity(id)
    with Priced {
  private[shop] val lines = List.empty[T]
  var note: String = ""
  val (left, right) = lines.splitAt(1)
  lazy val size = lines.size
  type Key = String

  def this(id: Id) = this(id, 0L)

  // Local names stay local.
  def add(line: T): Order[T] = {
    val before = size
    def grown = size > before
    this
  }

  protected def legacy(n: Int) { println(n) }

  def +(other: Order[T]): Order[T] = this
}

object Order {
  implicit val ordering: Ordering[Order[Int]] = null
  def apply(): Order[Int] = new Order[Int](0)

  implicit class Rich(text: String) {
    def shout = text.toUpperCase
  }
}

case object Nothing extends Priced

sealed trait Priced {
  def price: Money
  val currency: String
  var rate: Double
  type Unit
}

package object util {
  val Zero = 0
}

abstract class Repo[F[_]: Monad] {
  def find(id: Id): F[Option[Order[Int]]]
}

enum Suit(val letter: Char) derives CanEqual:
  case Hearts extends Suit('H')
  case Spades, Clubs
  case Joker(color: String)

  def label: String =
    val text = toString
    text

given intShow: Show[Int] with
  def show(n: Int): String = n.toString

given Show[String] = s => s

given listShow[T](using inner: Show[T]): Show[List[T]] = ???

extension (text: String)
  def words: Array[String] = text.split(' ')
  def title = text.capitalize

extension [T](items: List[T]) def second: T = items(1)

trait Greeter:
  def greet(name: String): String
end Greeter

inline def twice(n: Int): Int =
  val one = n
  one + one

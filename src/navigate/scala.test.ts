/** What a use means in Scala: members that an object or a value hands to its scope, infix calls. */
import { checkUses as check } from "../../test/kit/references.ts";

const parsers = {
  "src/a/Parsers.scala": `package a
trait Parsers {
  def parseAll(in: String): Int = 1
  case class Failure(msg: String)
  def startsWith(prefix: String) = accept(_ startsWith prefix)
}
`,
  "test/a/ParsersTest.scala": `package a
class ParsersTest {
  def one: Unit = {
    object parser extends Parsers
    import parser._
    parseAll("x").asInstanceOf[Failure]
  }
  def two: Unit = {
    object parser extends Parsers
    import parser._
    parseAll("y")
  }
}
`,
};
check(
  "a member of an object that only a function sees, by its import",
  parsers,
  ["src/a/Parsers.scala", "parseAll"],
  "test/a/ParsersTest.scala:6:4 calls import",
  "test/a/ParsersTest.scala:11:4 calls import",
);
check(
  "a class that such an import brings",
  parsers,
  ["src/a/Parsers.scala", "Failure"],
  "test/a/ParsersTest.scala:6:31 references import",
);
check(
  "an infix call on a value of unknown type is not certain",
  parsers,
  ["src/a/Parsers.scala", "startsWith"],
  "src/a/Parsers.scala:5:44 references name_only",
);

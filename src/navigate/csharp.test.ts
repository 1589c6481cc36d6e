/** What a use means in C#; each case is a disagreement with Roslyn that was traced. */
import { describe } from "vitest";
import { checkUses } from "../../test/kit/references.ts";

describe("C#", () => {
  const guards = {
    "Guard.cs":
      "namespace A {\npublic interface IClause { }\npublic class Guard : IClause {\n  public static IClause Against { get; } = new Guard();\n}\npublic static class Clauses {\n  public static void Zero(this IClause clause, int x) {}\n  public static Result<T> Then<T>(this Result<T> it) { return it; }\n}\npublic class Result<T> { public T Value { get; } }\npublic class OrderAttribute : System.Attribute { }\n}\n",
    "Use.cs":
      "using A;\nclass Use {\n  [Order]\n  void F(Result<Guard> r, Other o) {\n    Guard.Against.Zero(1);\n    r.Then().Value.Zero(2);\n    r.Value.Zero(3);\n    o.Zero(4);\n  }\n}\n",
  };
  checkUses(
    "a method that extends a type, or a base of it",
    guards,
    ["Guard.cs", "Zero"],
    "Use.cs:5:18 calls receiver",
    "Use.cs:7:12 calls receiver",
    "Use.cs:6:19 calls name_only",
    "Use.cs:8:6 calls name_only",
  );
  checkUses("of a generic type", guards, ["Guard.cs", "Then"], "Use.cs:6:6 calls receiver");
  checkUses(
    "an attribute by the short form of its name",
    guards,
    ["Guard.cs", "OrderAttribute"],
    "Use.cs:3:3 references import",
  );
});

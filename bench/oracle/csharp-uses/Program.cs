// Says of every name in a tree of C# which definition it uses, as Roslyn understands it, in one JSON document.
// Usage: csharp-uses ROOT REFERENCES. REFERENCES is a folder of the assemblies of .NET. All files are one compilation; names
// that it cannot bind, mostly of packages that are not there, are listed and not judged.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

static class Program
{
    static string root = "";
    static readonly StringBuilder uses = new StringBuilder(), definitions = new StringBuilder(), unknown = new StringBuilder();

    static void Main(string[] args)
    {
        root = Path.GetFullPath(args[0]);
        var options = new CSharpParseOptions(LanguageVersion.Preview);
        var trees = Directory.EnumerateFiles(root, "*.cs", SearchOption.AllDirectories)
            .Where(it => !it.Contains("/obj/") && !it.Contains("/bin/"))
            .Select(it => CSharpSyntaxTree.ParseText(File.ReadAllText(it), options, it)).ToList();
        var libraries = Directory.EnumerateFiles(args[1], "*.dll").Select(it => MetadataReference.CreateFromFile(it));
        var settings = new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true);
        var compilation = CSharpCompilation.Create("all", trees, libraries, settings);
        foreach (var tree in trees) Read(compilation.GetSemanticModel(tree), tree);
        var files = string.Join(",", trees.Select(it => Quoted(Relative(it.FilePath))));
        Console.WriteLine("{\"files\":[" + files + "],\"uses\":[" + uses.ToString().TrimEnd(',') + "],\"definitions\":["
            + definitions.ToString().TrimEnd(',') + "],\"unknown\":[" + unknown.ToString().TrimEnd(',') + "]}");
    }

    static void Read(SemanticModel model, SyntaxTree tree)
    {
        var path = Relative(tree.FilePath);
        foreach (var node in tree.GetRoot().DescendantNodes())
        {
            var declared = node is SimpleNameSyntax ? null : model.GetDeclaredSymbol(node);
            if (declared != null)
                foreach (var (at, of) in Places(declared).Where(it => it.Item2 == path && node.Span.Contains(it.Item1)))
                    definitions.Append("{\"path\":" + Quoted(of) + ",\"offset\":" + at + "},");
            if (!(node is SimpleNameSyntax name) || name.IsVar || name.Identifier.IsMissing) continue;
            var meant = Meant(model, name).ToList();
            if (meant.Count == 0) unknown.Append("{\"path\":" + Quoted(path) + ",\"offset\":" + name.Identifier.SpanStart + "},");
            foreach (var (at, of) in meant.SelectMany(WithOverloads).SelectMany(Places).Distinct())
                uses.Append("{\"path\":" + Quoted(path) + ",\"offset\":" + name.Identifier.SpanStart + ",\"kind\":\"" + KindOf(name)
                    + "\",\"of\":" + Quoted(of) + ",\"ofOffset\":" + at + "},");
        }
    }

    /// A type that is made with `new`, or written as an attribute, is its constructor as well.
    static IEnumerable<ISymbol> Meant(SemanticModel model, SimpleNameSyntax name)
    {
        if (model.GetAliasInfo(name) is IAliasSymbol alias) yield return alias.Target;
        var info = model.GetSymbolInfo(name);
        var all = info.Symbol != null ? new[] { info.Symbol } : info.CandidateSymbols.ToArray();
        foreach (var it in all)
        {
            yield return it;
            if (it is IMethodSymbol { MethodKind: MethodKind.Constructor } constructor) yield return constructor.ContainingType;
        }
        var made = name.AncestorsAndSelf().OfType<ObjectCreationExpressionSyntax>().FirstOrDefault();
        if (made != null && made.Type.Span.End == name.Span.End && model.GetSymbolInfo(made).Symbol is ISymbol called) yield return called;
    }

    static IEnumerable<ISymbol> WithOverloads(ISymbol symbol)
    {
        var it = symbol is IMethodSymbol { ReducedFrom: IMethodSymbol whole } ? whole.OriginalDefinition : symbol.OriginalDefinition;
        return it is IMethodSymbol && it.ContainingType != null ? it.ContainingType.GetMembers(it.Name).Append(it) : new[] { it };
    }

    /// Where the names of a symbol's definitions are; none of locals and of what is not in the tree.
    static IEnumerable<(int, string)> Places(ISymbol symbol)
    {
        switch (symbol.Kind)
        {
            case SymbolKind.NamedType: case SymbolKind.Method: case SymbolKind.Property: case SymbolKind.Field: case SymbolKind.Event: break;
            default: return Enumerable.Empty<(int, string)>();
        }
        return symbol.Locations.Where(it => it.IsInSource).Select(it => (it.SourceSpan.Start, Relative(it.SourceTree!.FilePath)));
    }

    static string KindOf(SimpleNameSyntax name)
    {
        SyntaxNode whole = name;
        var member = name.Parent is MemberAccessExpressionSyntax access && access.Name == name || name.Parent is MemberBindingExpressionSyntax;
        if (member) whole = name.Parent!;
        else if (name.Parent is QualifiedNameSyntax) whole = name.Parent;
        if (whole.FirstAncestorOrSelf<UsingDirectiveSyntax>() != null) return "import";
        if (whole.Parent is BaseTypeSyntax) return "heritage";
        if (whole.Parent is AssignmentExpressionSyntax { Parent: InitializerExpressionSyntax _ } set && set.Left == whole) return "key";
        var called = whole.Parent is InvocationExpressionSyntax call && call.Expression == whole || whole.Parent is ObjectCreationExpressionSyntax;
        return member ? (called ? "member call" : "member") : called ? "call" : "reference";
    }

    static string Relative(string path) => Path.GetRelativePath(root, path).Replace('\\', '/');
    static string Quoted(string text) => "\"" + text.Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
}

// Says of every name in a tree of Java which definition it uses, as javac understands it, in one JSON document.
// Usage: JavaUses ROOT. Names that it cannot bind, mostly of libraries that are not there, are listed and not judged.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.IOException;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.TypeKind;
import javax.tools.*;

public class JavaUses {
  static Path root;
  static Trees trees;
  static final StringBuilder uses = new StringBuilder(), definitions = new StringBuilder(), unknown = new StringBuilder();
  static final Map<Element, String> places = new HashMap<>();

  public static void main(String[] given) throws IOException {
    root = Path.of(given[0]).toAbsolutePath();
    List<Path> files;
    try (Stream<Path> all = Files.walk(root)) {
      files = all.filter(it -> it.toString().endsWith(".java") && !it.toString().contains("/target/")).sorted().collect(Collectors.toList());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(it -> {}, null, null);
    List<String> options = List.of("-proc:none", "-Xmaxerrs", "1", "-XDshould-stop.ifError=FLOW", "-XDshould-stop.at=FLOW");
    JavacTask task = (JavacTask) compiler.getTask(null, manager, it -> {}, options, null, manager.getJavaFileObjectsFromPaths(files));
    trees = Trees.instance(task);
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    task.analyze();
    for (CompilationUnitTree unit : units) new Definitions().scan(unit, unit);
    for (CompilationUnitTree unit : units) new Uses(unit).scan(unit, null);
    String names = units.stream().map(it -> quoted(pathOf(it))).collect(Collectors.joining(","));
    System.out.println("{\"files\":[" + names + "],\"uses\":[" + list(uses) + "],\"definitions\":[" + list(definitions)
        + "],\"unknown\":[" + list(unknown) + "]}");
    System.exit(0);
  }

  static String list(StringBuilder text) {
    return text.length() == 0 ? "" : text.substring(0, text.length() - 1);
  }

  static String pathOf(CompilationUnitTree unit) {
    return root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
  }

  static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  static CharSequence textOf(CompilationUnitTree unit) {
    try {
      return unit.getSourceFile().getCharContent(true);
    } catch (IOException failed) {
      return "";
    }
  }

  static final class Definitions extends TreePathScanner<Void, CompilationUnitTree> {
    @Override public Void visitClass(ClassTree tree, CompilationUnitTree unit) {
      define(tree, tree.getModifiers(), tree.getSimpleName().toString(), unit);
      return super.visitClass(tree, unit);
    }

    @Override public Void visitMethod(MethodTree tree, CompilationUnitTree unit) {
      String owner = ((ClassTree) getCurrentPath().getParentPath().getLeaf()).getSimpleName().toString();
      Tree before = tree.getReturnType() == null ? tree.getModifiers() : tree.getReturnType();
      define(tree, before, tree.getReturnType() == null ? owner : tree.getName().toString(), unit);
      return super.visitMethod(tree, unit);
    }

    @Override public Void visitVariable(VariableTree tree, CompilationUnitTree unit) {
      Element element = trees.getElement(getCurrentPath());
      boolean isMember = element != null && (element.getKind().isField());
      Tree type = element != null && element.getKind() == ElementKind.ENUM_CONSTANT ? tree.getModifiers() : tree.getType();
      if (isMember) define(tree, type, tree.getName().toString(), unit);
      return super.visitVariable(tree, unit);
    }

    /** The name is the first word of its kind behind what comes before it. */
    void define(Tree tree, Tree before, String name, CompilationUnitTree unit) {
      Element element = trees.getElement(getCurrentPath());
      SourcePositions at = trees.getSourcePositions();
      long start = at.getStartPosition(unit, tree);
      if (element == null || name.isEmpty() || start < 0) return;
      long from = Math.max(start, before == null ? -1 : at.getEndPosition(unit, before));
      String text = textOf(unit).toString();
      java.util.regex.Matcher found = java.util.regex.Pattern.compile("\\b" + java.util.regex.Pattern.quote(name) + "\\b").matcher(text);
      if (!found.find((int) from) || found.start() > at.getEndPosition(unit, tree)) return;
      String path = pathOf(unit);
      places.put(element, "\"of\":" + quoted(path) + ",\"ofOffset\":" + found.start());
      definitions.append("{\"path\":").append(quoted(path)).append(",\"offset\":").append(found.start()).append("},");
    }
  }

  static final class Uses extends TreePathScanner<Void, Void> {
    final CompilationUnitTree unit;
    final String path;

    Uses(CompilationUnitTree unit) {
      this.unit = unit;
      this.path = pathOf(unit);
    }

    @Override public Void visitIdentifier(IdentifierTree tree, Void none) {
      note(tree.getName().toString(), trees.getSourcePositions().getStartPosition(unit, tree), trees.getElement(getCurrentPath()));
      return null;
    }

    @Override public Void visitMemberSelect(MemberSelectTree tree, Void none) {
      String name = tree.getIdentifier().toString();
      long end = trees.getSourcePositions().getEndPosition(unit, tree);
      Element element = trees.getElement(getCurrentPath());
      boolean isImport = getCurrentPath().getParentPath().getLeaf() instanceof ImportTree;
      if (isImport && ((ImportTree) getCurrentPath().getParentPath().getLeaf()).isStatic()) {
        Element owner = trees.getElement(new TreePath(getCurrentPath(), tree.getExpression()));
        if (owner instanceof TypeElement)
          for (Element it : owner.getEnclosedElements()) if (it.getSimpleName().contentEquals(name)) note(name, end - name.length(), it);
      } else note(name, end - name.length(), element);
      return super.visitMemberSelect(tree, none);
    }

    @Override public Void visitMemberReference(MemberReferenceTree tree, Void none) {
      String name = tree.getName().toString();
      long end = trees.getSourcePositions().getEndPosition(unit, tree);
      if (tree.getMode() == MemberReferenceTree.ReferenceMode.INVOKE) note(name, end - name.length(), trees.getElement(getCurrentPath()));
      return super.visitMemberReference(tree, none);
    }

    /** Whoever makes an instance names the type and calls the constructor. */
    @Override public Void visitNewClass(NewClassTree tree, Void none) {
      Element made = trees.getElement(getCurrentPath());
      Tree type = tree.getIdentifier();
      if (type instanceof AnnotatedTypeTree) type = ((AnnotatedTypeTree) type).getUnderlyingType();
      if (type instanceof ParameterizedTypeTree) type = ((ParameterizedTypeTree) type).getType();
      long end = trees.getSourcePositions().getEndPosition(unit, type);
      String name = type instanceof MemberSelectTree ? ((MemberSelectTree) type).getIdentifier().toString() : type.toString();
      if (made != null && tree.getClassBody() == null) note(name, end - name.length(), made);
      return super.visitNewClass(tree, none);
    }

    void note(String name, long at, Element element) {
      if (at < 0 || name.equals("this") || name.equals("super")) return;
      if (element == null || element.asType().getKind() == TypeKind.ERROR) {
        unknown.append("{\"path\":").append(quoted(path)).append(",\"offset\":").append(at).append("},");
        return;
      }
      for (Element it : overloads(element)) {
        String of = places.get(it);
        if (of != null)
          uses.append("{\"path\":").append(quoted(path)).append(",\"offset\":").append(at).append(",\"kind\":\"").append(kindOf(name, at))
              .append("\",").append(of).append("},");
      }
    }

    /** Overloads are one symbol. */
    List<Element> overloads(Element element) {
      if (!places.containsKey(element)) return List.of();
      if (element.getKind() != ElementKind.METHOD && element.getKind() != ElementKind.CONSTRUCTOR) return List.of(element);
      return element.getEnclosingElement().getEnclosedElements().stream()
          .filter(it -> it.getKind() == element.getKind() && it.getSimpleName().equals(element.getSimpleName()))
          .collect(Collectors.toList());
    }

    String kindOf(String name, long at) {
      Tree leaf = getCurrentPath().getLeaf();
      TreePath above = getCurrentPath().getParentPath();
      if (above != null && above.getLeaf() instanceof ImportTree) return "import";
      boolean member = leaf instanceof MemberSelectTree || leaf instanceof MemberReferenceTree;
      boolean called = leaf instanceof NewClassTree || (above != null && above.getLeaf() instanceof MethodInvocationTree
          && ((MethodInvocationTree) above.getLeaf()).getMethodSelect() == leaf);
      if (above != null && above.getLeaf() instanceof ClassTree) return "heritage";
      return member ? (called ? "member call" : "member") : called ? "call" : "reference";
    }
  }
}

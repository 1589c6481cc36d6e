/** Classes of files by their path, as each language's conventions have it: tests, examples, vendored or generated code, prose. */

export type PathClass =
  | "test"
  | "example"
  | "vendored"
  | "generated"
  | "compat"
  | "data"
  | "doc"
  | "changelog"
  | "entry"
  | "declaration"
  | "header";

/** All that applies, each once; most files have none. */
export function pathClasses(path: string): readonly PathClass[] {
  const known = remembered.get(path);
  if (known !== undefined) return known;
  const found = [...new Set(RULES.filter(([, rule]) => rule.test(path)).map(([name]) => name))];
  const classes = found.includes("changelog") ? found.filter((name) => name !== "doc" && name !== "data") : found;
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(path, classes);
  return classes;
}

/** Thirty patterns a path, for up to 300 paths a query. */
const REMEMBERED = 50_000;
const remembered = new Map<string, readonly PathClass[]>();

/** Whole directory names, any case. */
const dirs = (names: string) => new RegExp(`(?:^|/)(?:${names.replaceAll(" ", "|")})/`, "i");

/** Names that features of a product also have, as in `src/build/` and `lib/snapshot/`: only outside of its sources. */
const outerDirs = (names: string) =>
  new RegExp(`^(?:(?!(?:src|source|sources|lib)/)[^/]+/)*(?:${names.replaceAll(" ", "|")})/`, "i");

const RULES: readonly (readonly [PathClass, RegExp])[] = [
  [
    "test",
    dirs(
      "tests? __tests__ specs? testdata test-data test_data fixtures? __fixtures__ __mocks__ e2e testutils? test-utils " +
        "__snapshots__ [a-z0-9_.-]+[._-]tests? (?:unit|integration|functional)[_-]?tests?",
    ),
  ],
  ["test", outerDirs("testing mocks snapshots")],
  // `AppTests/`, but not `vitest/`: the capital distinguishes them.
  ["test", /(?:^|\/)\w*[a-z](?:Tests?|Specs?)\//],
  // `foo_test.go`, `foo.spec.ts`, `foo-test.js`.
  ["test", /(?:^|\/)[^/]*[._-](?:test|spec|tests|specs)\.[^/]*$/i],
  // A leading `test_` is a convention of these languages only: `lib/test_functions.bash` is no test.
  ["test", /(?:^|\/)(?:test_[^/]*\.(?:py|rb|c|cc|cpp|cxx|jl|r|lua|ml|nim|cr|d|el|pl|zig)|tests\.py|conftest\.py)$/i],
  ["test", /(?:^|\/)[^/]*[a-z0-9](?:Tests?|Spec|TestCase)\.(?:java|kt|cs|swift|php|scala|groovy|hs|cpp|m|dart)$/],
  ["test", /\.(?:bats|t|feature|snap|golden)$/],
  ["example", dirs("examples? tutorials? templates? docs?_src")],
  [
    "example",
    outerDirs("samples? demos? benchmarks? bench benches playgrounds? sandbox(?:es)? stubs? scaffolds? snippets"),
  ],
  // `json-benchmarks/`, `http4k-examples/`.
  ["example", /(?:^|\/)[^/]+[-_](?:examples?|samples?|demos?|benchmarks?|playground)\//i],
  [
    "vendored",
    dirs(
      "vendor vendored third[_-]?party externals? extern node_modules bower_components pods single_include amalgamat\\w*",
    ),
  ],
  ["vendored", outerDirs("deps")],
  ["generated", dirs("generated gen __generated__ autogen dist")],
  ["generated", outerDirs("build out target")],
  [
    "generated",
    /(?:\.pb\.\w+|[._-]generated\.\w+|\.g\.(?:dart|cs)|\.freezed\.dart|\.designer\.cs|\.min\.(?:js|css)|_pb2(?:_grpc)?\.py|\.gen\.\w+)$/i,
  ],
  // Bundles that a compiler wrote, by their suffix or the digest in their name, and source maps.
  ["generated", /(?:[.-](?:bundle|chunk|umd|iife)\.[cm]?js|[.-](?=\w*\d)[\da-f]{8,}\.(?:js|css)|\.map)$/i],
  // Dumps of a public API that tools write and check.
  [
    "generated",
    /(?:\.api|\.api\.md|(?:^|\/)PublicAPI\.(?:Shipped|Unshipped)\.txt|\.(?:approved|verified|received)\.\w+)$/,
  ],
  [
    "generated",
    /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|packages\.lock\.json|go\.sum|bun\.lockb?|[^/]+\.lock|\.lock)$/i,
  ],
  ["compat", dirs("compat legacy deprecated deprecations? old attic polyfills? shims?")],
  ["compat", /(?:^|\/)[^/]*(?:_compat|-compat|\.compat|deprecated)[^/]*$/i],
  ["doc", dirs("docs? documentation guides? website")],
  ["doc", outerDirs("site man man\\d")],
  ["doc", /\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|tex|html?|ipynb|org|pod|man|ronn|mdoc|texi|\d)$/i],
  ["doc", /(?:^|\/)(?:LICEN[CS]E|AUTHORS|CONTRIBUTORS|README|NOTICE|COPYING)(?:[-_.][^/.]*)?$/],
  [
    "changelog",
    /(?:^|\/)(?:change-?logs?|changes|history|news|releases?|release[-_]notes|whats[-_]?new|upgrading|migrat(?:ing|ion))(?:[-_.][\w.-]*)?\.(?:md|mdx|markdown|rst|txt|adoc|org)$/i,
  ],
  ["changelog", /(?:^|\/)(?:CHANGE-?LOG|CHANGES|HISTORY|NEWS|RELEASES)(?:[-_][^/.]*)?$/],
  [
    "changelog",
    /(?:^|\/)(?:change-?logs?|release-?notes|changelog\.d|newsfragments|\.changeset)\/[^/]*\.(?:md|rst|txt)$/i,
  ],
  [
    "data",
    /\.(?:json|jsonc|json5|ya?ml|toml|ini|cfg|conf|xml|csv|tsv|lock|svg|css|scss|less|properties|cabal|gemspec|nix|natvis|cmake|in|output|po|plist|pbxproj|csproj|props|targets|resx|editorconfig|gradle|bazel|bzl|mk|proj|sln|gitignore|patch|diff)$/i,
  ],
  ["data", /(?:^|\/)(?:\.[^/]*|Makefile|Dockerfile|Gemfile|Rakefile|Podfile|CMakeLists\.txt|BUILD)$/],
  ["entry", /(?:^|\/)(?:__init__\.py|package-info\.java|__main__\.py)$/],
  ["declaration", /\.(?:d\.[mc]?ts|pyi)$/],
  ["header", /\.h$/],
];

const ASKS: Readonly<Partial<Record<PathClass, RegExp>>> = {
  test: /\b(?:unit|integration|regression|e2e|functional)[ -]tests?\b|\btests? (?:for|of|that|case|cases|suite|file|files|covering)\b|^tests?\b|\bspecs? (?:for|of)\b|\bfixtures?\b|\bmocks? (?:for|of)\b/i,
  example: /\bexamples?\b|\bsamples?\b|\bdemos?\b|\bbenchmarks?\b|\btutorials?\b|\btemplates?\b|\bstubs?\b/i,
  vendored: /\bvendor(?:ed)?\b|\bthird[- ]party\b/i,
  generated: /\bgenerated\b|\block ?files?\b|\bsource ?maps?\b/i,
  compat: /\bcompat(?:ib\w+)?\b|\blegacy\b|\bdeprecat\w+|\bpolyfills?\b|\bshims?\b/i,
  doc: /\bdoc(?:s|umentation)?\b|\bguides?\b|\breadme\b|\blicen[cs]e\b/i,
  changelog:
    /\bchange ?log\b|\brelease notes\b|\bbreaking changes?\b|\bwhat(?:'s| is| has| was)? (?:changed|new)\b|\b(?:changed|changes|new|added|removed|deprecated|introduced|fixed) (?:in|since|between|with) (?:version |release |v)?\d|\b(?:upgrad|migrat)\w+ (?:\w+ )?(?:from|to) (?:version |v)?\d/i,
  data: /\b(?:config(?:uration)? file|settings file|json|yaml|toml|css|manifest|makefile|dockerfile|workflow|build script|cmake|lockfile)\b/i,
};

/** Path classes that the query requests; their files are not ranked lower. */
export function requestedClasses(query: string): ReadonlySet<PathClass> {
  const requested = Object.entries(ASKS).filter(([, pattern]) => pattern.test(query));
  return new Set(requested.map(([name]) => name as PathClass));
}

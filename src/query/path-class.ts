/** Classes of files by their path: tests, examples, vendored or generated code, prose. */

export type PathClass =
  | "test"
  | "example"
  | "vendored"
  | "generated"
  | "compat"
  | "data"
  | "doc"
  | "entry"
  | "declaration"
  | "header";

/** All that applies, each once; most files have none. */
export function pathClasses(path: string): readonly PathClass[] {
  const known = remembered.get(path);
  if (known !== undefined) return known;
  const found = [...new Set(RULES.filter(([, rule]) => rule.test(path)).map(([name]) => name))];
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(path, found);
  return found;
}

/** Twenty patterns a path, for up to 300 paths a query. */
const REMEMBERED = 50_000;
const remembered = new Map<string, readonly PathClass[]>();

/** Whole directory names, any case. */
const dirs = (names: string) => new RegExp(`(?:^|/)(?:${names.replaceAll(" ", "|")})/`, "i");

const RULES: readonly (readonly [PathClass, RegExp])[] = [
  [
    "test",
    dirs(
      "tests? __tests__ specs? testing testdata test-data test_data fixtures? __fixtures__ mocks? __mocks__ e2e testutils? test-utils " +
        "snapshots? __snapshots__ [a-z0-9_.-]+[._-]tests? (?:unit|integration|functional)[_-]?tests?",
    ),
  ],
  // `AppTests/`, but not `vitest/`: the capital distinguishes them.
  ["test", /(?:^|\/)\w*[a-z](?:Tests?|Specs?)\//],
  ["test", /(?:^|\/)(?:test_[^/]*|[^/]*[._-](?:test|spec|tests|specs)\.[^/]*|conftest\.py)$/i],
  ["test", /(?:^|\/)[^/]*[a-z0-9](?:Tests?|Spec|TestCase)\.(?:java|kt|cs|swift|php|scala|groovy|hs|cpp|m|dart)$/],
  [
    "example",
    dirs(
      "examples? samples? demos? tutorials? benchmarks? bench benches playgrounds? sandbox(?:es)? stubs? templates? scaffolds? docs?_src snippets",
    ),
  ],
  [
    "vendored",
    dirs(
      "vendor vendored third[_-]?party externals? extern deps node_modules bower_components pods single_include amalgamat\\w*",
    ),
  ],
  ["generated", dirs("generated gen __generated__ autogen dist build out target")],
  [
    "generated",
    /(?:\.pb\.\w+|[._-]generated\.\w+|\.g\.(?:dart|cs)|\.designer\.cs|\.min\.(?:js|css)|_pb2(?:_grpc)?\.py|\.gen\.\w+)$/i,
  ],
  ["compat", dirs("compat legacy deprecated deprecations? old attic polyfills? shims?")],
  ["compat", /(?:^|\/)[^/]*(?:_compat|-compat|\.compat|deprecated)[^/]*$/i],
  ["doc", dirs("docs? documentation guides? website site man")],
  ["doc", /\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|tex|html?|ipynb|org|pod|man|\d)$/i],
  [
    "doc",
    /(?:^|\/)(?:LICEN[CS]E|CHANGE(?:LOG|S)|HISTORY|NEWS|AUTHORS|CONTRIBUTORS|README|NOTICE|COPYING)(?:[-_.][^/.]*)?$/,
  ],
  [
    "data",
    /\.(?:json|jsonc|json5|ya?ml|toml|ini|cfg|conf|xml|csv|tsv|lock|svg|css|scss|less|properties|cabal|gemspec|nix|natvis|cmake|in|snap|golden|out|output|po|plist|pbxproj|csproj|props|targets|resx|editorconfig|gradle|bazel|bzl|mk|proj|sln|gitignore|patch|diff)$/i,
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
  generated: /\bgenerated\b/i,
  compat: /\bcompat(?:ib\w+)?\b|\blegacy\b|\bdeprecat\w+|\bpolyfills?\b|\bshims?\b/i,
  doc: /\bdoc(?:s|umentation)?\b|\bguides?\b|\breadme\b|\bchangelog\b|\blicen[cs]e\b/i,
  data: /\b(?:config(?:uration)? file|settings file|json|yaml|toml|css|manifest|makefile|dockerfile|workflow|build script|cmake|lockfile)\b/i,
};

/** Path classes that the query requests; their files are not ranked lower. */
export function requestedClasses(query: string): ReadonlySet<PathClass> {
  const requested = Object.entries(ASKS).filter(([, pattern]) => pattern.test(query));
  return new Set(requested.map(([name]) => name as PathClass));
}

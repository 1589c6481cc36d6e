// The arrows of ARCHITECTURE.md. Each folder may look only at the folders listed beside it.
const MAY_IMPORT = {
  model: [],
  text: ["model"],
  regex: ["model", "text"],
  segment: ["model", "text"],
  embed: ["model"],
  ports: ["model"],
  io: [],
  languages: ["model", "ports"],
  ingest: ["model", "text", "segment", "ports", "languages", "scip"],
  query: ["model", "text", "ports"],
  grep: ["model", "text", "regex", "ports"],
  navigate: ["model", "text", "regex", "ports", "languages", "query", "scip"],
  scip: [],
  evaluate: ["model"],
  engine: ["model", "text", "segment", "embed", "ports"],
  adapters: ["model", "text", "regex", "segment", "embed", "engine", "ports", "io"],
  compass: ["model", "text", "ports", "languages", "ingest", "query", "navigate", "grep", "regex"],
  tools: ["model", "text", "compass"],
  config: ["model", "text", "io"],
  mcp: ["model", "compass", "tools", "config"],
  cli: ["model", "text", "scip", "evaluate", "compass", "tools", "config", "compose", "mcp", "io"],
  library: ["model", "compass", "tools", "config", "compose"],
  compose: ["model", "embed", "ports", "languages", "ingest", "compass", "adapters", "config", "io"],
};
const OUTSIDE_WORLD = ["adapters", "mcp", "cli", "library", "compose", "config", "io"];
const TESTS = "\\.test\\.ts$"; // a test may reach anything; nothing may reach a test

const arrows = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `${folder}-looks-only-down`,
  comment: `${folder}/ may import ${allowed.join(", ") || "nothing of ours"}.`,
  severity: "error",
  from: { path: `^src/${folder}/`, pathNot: TESTS },
  to: { path: "^src/", pathNot: `^src/(${[folder, ...allowed].join("|")})/` },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: "no-cycles",
      severity: "error",
      from: { path: "^src" },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "io-lives-at-the-edge",
      comment: "Disk, processes, sockets, native and npm packages are reached through src/ports.",
      severity: "error",
      from: { path: "^src/", pathNot: [`^src/(${OUTSIDE_WORLD.join("|")}|tools|segment)/`, TESTS] },
      to: { dependencyTypesNot: ["local"] },
    },
    {
      name: "segment-knows-zlib-only",
      comment: "zstd and crc32 are pure computation; they touch nothing outside the bytes they are given.",
      severity: "error",
      from: { path: "^src/segment/", pathNot: TESTS },
      to: { dependencyTypesNot: ["local"], pathNot: "^(node:)?zlib$" },
    },
    {
      name: "tools-know-zod-only",
      severity: "error",
      from: { path: "^src/tools/", pathNot: TESTS },
      to: { dependencyTypesNot: ["local"], pathNot: "(^|/)zod(/|$)" },
    },
    {
      name: "adapters-are-strangers",
      comment: "One adapter never imports another; they meet in src/compose.",
      severity: "error",
      from: { path: "^src/adapters/([^/]+)/", pathNot: TESTS },
      to: { path: "^src/adapters/", pathNot: "^src/adapters/$1/" },
    },
    {
      name: "tools-are-strangers",
      comment: "A tool shares through define.ts, input.ts, text/ and wire/, never with its neighbour.",
      severity: "error",
      from: { path: "^src/tools/(?!(index|run|fit|define|input)\\.ts)[^/]+\\.ts$", pathNot: TESTS },
      to: { path: "^src/tools/", pathNot: "^src/tools/(define\\.ts|input\\.ts|text/|wire/)" },
    },
    {
      name: "ports-are-types",
      comment: "Everybody below compass imports a port as a type; only compose hands over the real thing.",
      severity: "error",
      from: { path: "^src/(ingest|query|grep|navigate|compass)/", pathNot: TESTS },
      to: { path: "^src/ports/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "nothing-imports-tests",
      severity: "error",
      from: { path: "^src", pathNot: TESTS },
      to: { path: [TESTS, "^test/"] },
    },
    {
      name: "no-orphans",
      severity: "warn",
      from: { orphan: true, path: "^src", pathNot: "\\.(test|d)\\.ts$" },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^src/languages/[^/]+/sample\\." },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};

/** Every byte that is not ours stays; whatever was added can be taken back exactly. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addedBy, type ConfigTarget, parsed, withEntry, withoutEntry } from "./plan.ts";
import { at } from "./value.ts";

const JSON_TARGET: ConfigTarget = { format: "json", path: ["mcpServers", "codecompass"] };
const TOML_TARGET: ConfigTarget = { format: "toml", path: ["mcp_servers", "codecompass"] };
const ENTRY = { command: "node", args: ["x.js", "serve-mcp"] };

/** Installing gives `after`; again changes nothing; taking it back gives the text from before. */
function check(name: string, target: ConfigTarget, before: string, after: string): void {
  test(name, () => {
    expect(withEntry(before, target, ENTRY)).toBe(after);
    expect(withEntry(after, target, ENTRY)).toBe(after);
    expect(withoutEntry(after, target, addedBy(before, after, target))).toBe(before);
  });
}

describe("JSON", () => {
  const lines = (...all: string[]) => `${all.join("\n")}\n`;
  const ours = (indent: string, unit = "  ") =>
    [
      `"codecompass": {`,
      `${unit}"command": "node",`,
      `${unit}"args": [`,
      `${unit}${unit}"x.js",`,
      `${unit}${unit}"serve-mcp"`,
      `${unit}]`,
      `}`,
    ]
      .map((line) => indent + line)
      .join("\n");

  check("an empty file", JSON_TARGET, "", lines("{", '  "mcpServers": {', ours("    "), "  }", "}"));
  check("an empty object", JSON_TARGET, "{}\n", lines("{", '  "mcpServers": {', ours("    "), "  }", "}"));
  check(
    "beside another server, tabs",
    JSON_TARGET,
    lines("{", '\t"mcpServers": {', '\t\t"a": {"command": "a"}', "\t}", "}"),
    lines("{", '\t"mcpServers": {', '\t\t"a": {"command": "a"},', ours("\t\t", "\t"), "\t}", "}"),
  );
  check(
    "comments, a trailing comma and odd spacing",
    JSON_TARGET,
    lines("// mine", "{", '    "mcpServers" : {', '        "a": {}, // first', "        /* end */", "    },  ", "}"),
    lines(
      "// mine",
      "{",
      '    "mcpServers" : {',
      '        "a": {}, // first',
      "        /* end */",
      ours("        ", "    "),
      "    },  ",
      "}",
    ),
  );
  check(
    "a comment after the last property",
    JSON_TARGET,
    lines("{", '  "mcpServers": {', '    "a": {} // last', "  }", "}"),
    lines("{", '  "mcpServers": {', '    "a": {}, // last', ours("    "), "  }", "}"),
  );
  check(
    "all on one line",
    JSON_TARGET,
    '{"mcpServers":{"a":{}},"z":1}',
    '{"mcpServers":{"a":{}, "codecompass": {"command":"node","args":["x.js","serve-mcp"]}},"z":1}',
  );
  check(
    "Windows line ends",
    JSON_TARGET,
    '{\r\n  "z": 1\r\n}\r\n',
    `{\r\n  "z": 1,\r\n  "mcpServers": {\r\n${ours("    ").replaceAll("\n", "\r\n")}\r\n  }\r\n}\r\n`,
  );

  test("an entry that is there is brought up to date, its other keys stay, and comes back", () => {
    const before = lines(
      "{",
      '  "mcpServers": {',
      '    "codecompass": { "command": "old", "env": {"A": "b"}, "args": ["x.js", "serve-mcp"] }',
      "  }",
      "}",
    );
    const after = withEntry(before, JSON_TARGET, ENTRY);
    expect(after).toBe(before.replace('"old"', '"node"'));
    expect(withoutEntry(after, JSON_TARGET, addedBy(before, after, JSON_TARGET))).toBe(before);
  });

  test("another server added in between stays", () => {
    const before = lines("{", '  "z": 1', "}");
    const added = addedBy(before, withEntry(before, JSON_TARGET, ENTRY), JSON_TARGET);
    const edited = withEntry(before, JSON_TARGET, ENTRY).replace(
      '"codecompass": {',
      '"b": {\n      "command": "b"\n    },\n    "codecompass": {',
    );
    const left = withoutEntry(edited, JSON_TARGET, added);
    expect(left).toBe(
      lines("{", '  "z": 1,', '  "mcpServers": {', '    "b": {', '      "command": "b"', "    }", "  }", "}"),
    );
  });

  test("after a reformat the entry and the objects made for it go", () => {
    const before = '{"z": 1}';
    const added = addedBy(before, withEntry(before, JSON_TARGET, ENTRY), JSON_TARGET);
    const reformatted = JSON.stringify(JSON.parse(withEntry(before, JSON_TARGET, ENTRY)), null, 8);
    expect(parsed(withoutEntry(reformatted, JSON_TARGET, added), JSON_TARGET)).toEqual({ z: 1 });
  });

  test("without knowledge of the installation only the entry goes", () => {
    const text = lines("{", '  "mcpServers": {', ours("    "), "  }", "}");
    expect(withoutEntry(text, JSON_TARGET, undefined)).toBe(lines("{", '  "mcpServers": {', "  }", "}"));
  });

  const refused = (name: string, text: string, part: string) =>
    test(name, () => expect(() => withEntry(text, JSON_TARGET, ENTRY)).toThrow(part));
  refused("broken JSON names the place", '{\n  "a": 1,,\n}', "line 2, column 10");
  refused("a list is no object", "[]", "holds no object");
  refused("servers that are no object", '{"mcpServers": []}', '"mcpServers" is not an object');
  refused("a key twice", '{"mcpServers": {}, "mcpServers": {"a": 1}}', "cannot be edited");
});

describe("TOML", () => {
  const table = '[mcp_servers.codecompass]\ncommand = "node"\nargs = ["x.js", "serve-mcp"]\n';

  check("an empty file", TOML_TARGET, "", table);
  check(
    "after other tables",
    TOML_TARGET,
    'model = "m" # mine\n\n[a]\nb = 1\n',
    `model = "m" # mine\n\n[a]\nb = 1\n\n${table}`,
  );
  check("no line end at the end", TOML_TARGET, "[a]\nb = 1", `[a]\nb = 1\n\n${table}`);
  check("Windows line ends", TOML_TARGET, "[a]\r\nb = 1\r\n", `[a]\r\nb = 1\r\n\r\n${table.replaceAll("\n", "\r\n")}`);
  check(
    "an entry that is there is brought up to date",
    TOML_TARGET,
    '[mcp_servers.codecompass]\ncommand = "old"\nenabled = true\nargs = ["x.js", "serve-mcp"]\n\n[mcp_servers.codecompass.env]\nA = "b"\n',
    '[mcp_servers.codecompass]\ncommand = "node"\nenabled = true\nargs = ["x.js", "serve-mcp"]\n\n[mcp_servers.codecompass.env]\nA = "b"\n',
  );

  test("another table added behind ours, ours edited: ours goes, its sub-tables with it", () => {
    const text = `[a]\nb = 1\n\n${table}enabled = false\n[mcp_servers.codecompass.env]\nA = "b"\n\n# next\n[c]\nd = 2\n`;
    expect(withoutEntry(text, TOML_TARGET, undefined)).toBe("[a]\nb = 1\n\n# next\n[c]\nd = 2\n");
  });

  const refused = (name: string, text: string, part: string) =>
    test(name, () => expect(() => withEntry(text, TOML_TARGET, ENTRY)).toThrow(part));
  refused("broken TOML names the place", 'a = 1\nb = "', "line 2");
  refused("an inline table", 'mcp_servers = { a = { command = "a" } }\n', "cannot be edited");
  refused("our name as an inline table", '[mcp_servers]\ncodecompass = { command = "a" }\n', "cannot be edited");
  refused("a header inside a text", 'a = """\n[mcp_servers.codecompass]\n"""\n', "cannot be edited");
});

/** Any value in any layout: strings with everything that could be mistaken for structure. */
const key = fc.constantFrom("a", "b", "mcpServers", "codecompass", 'q"', "//x", "{", "é");
const leaf = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom("", ",", "}", "// no", 'a"b', "\n"),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("value"), { maxLength: 3 }), fc.dictionary(key, tie("value"))),
}));
const file = fc.tuple(
  fc.dictionary(key, value),
  fc.constantFrom(undefined, 1, 2, 4, "\t"),
  fc.constantFrom("\n", "\r\n"),
);

test("law: taking back an installation gives the file from before", () => {
  fc.assert(
    fc.property(file, ([content, indent, eol]) => {
      const before = JSON.stringify(content, null, indent).replaceAll("\n", eol);
      const target = JSON_TARGET;
      const servers = content.mcpServers;
      const isUsable =
        servers === undefined || (typeof servers === "object" && servers !== null && !Array.isArray(servers));
      if (!isUsable) {
        expect(() => withEntry(before, target, ENTRY)).toThrow("not an object");
        return;
      }
      const after = withEntry(before, target, ENTRY);
      expect(at(JSON.parse(after), target.path)).toMatchObject(ENTRY);
      expect(withoutEntry(after, target, addedBy(before, after, target))).toBe(before);
    }),
    { numRuns: 2_000 },
  );
});

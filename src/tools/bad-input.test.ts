/** Bad input, generated: every tool with every parameter. The answer names the parameter and what would be right. */
import { expect, test } from "vitest";
import { fakeCompass } from "../../test/kit/fake-compass.ts";
import { CompassError } from "../model/errors.ts";
import { DEFAULT_SETTINGS, type Fields, type ToolDefinition } from "./define.ts";
import { jsonSchema, TOOLS } from "./index.ts";
import { decode } from "./input.ts";
import { runTool } from "./run.ts";

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
}

const propertiesOf = (tool: ToolDefinition) =>
  Object.entries(jsonSchema(tool.input).properties as Fields) as [string, Property][];
const requiredOf = (tool: ToolDefinition) => (jsonSchema(tool.input).required ?? []) as readonly string[];

/** A value that the schema takes. */
function valid(tool: ToolDefinition, name: string, { type, enum: values }: Property): unknown {
  if (tool.example[name] !== undefined) return tool.example[name];
  return values?.[0] ?? (type === "boolean" ? true : type === "string" ? "x" : 1);
}

function refusal(tool: ToolDefinition, input: Fields): CompassError {
  try {
    decode(tool, input);
  } catch (error) {
    if (error instanceof CompassError) return error;
    throw error;
  }
  throw new Error(`${tool.name} takes ${JSON.stringify(input)}`);
}

const STATEMENT = { invalid_max_tokens: /max_tokens/, invalid_strategy: /breadth.*depth/ } as Readonly<
  Record<string, RegExp>
>;

for (const tool of TOOLS) {
  for (const [name, property] of propertiesOf(tool)) {
    test(`${tool.name}: ${name} of a wrong type says which type is right`, () => {
      for (const value of [{}, { deep: [1] }, property.type === "string" ? 5 : "not a value"]) {
        const { code, message, data } = refusal(tool, { ...tool.example, [name]: value });
        expect(data.parameter).toBe(name);
        const right =
          property.enum?.join(", ") ??
          { integer: "number", number: "number", boolean: "boolean" }[property.type!] ??
          "string";
        if (STATEMENT[code]) expect(`${message} ${data.remediation}`).toMatch(STATEMENT[code]);
        else expect(message).toMatch(new RegExp(`${name} .*(${right}|whole number)`));
      }
    });

    test(`${tool.name}: ${name} misspelt is read, or the warning names it`, () => {
      const misspelt = `${name.slice(0, -1)}${name.at(-1)}${name.at(-1)}`;
      const given = { ...tool.example, [misspelt]: valid(tool, name, property) };
      delete (given as Record<string, unknown>)[name];
      const said = requiredOf(tool).includes(name)
        ? refusalText(refusal(tool, given))
        : decode(tool, given).warnings.join(" ");
      expect(said).toContain(name);
      expect(said).toContain(misspelt);
    });
  }

  for (const name of requiredOf(tool)) {
    test(`${tool.name}: without ${name} the error has a call that works`, () => {
      const given = { ...tool.example };
      delete (given as Record<string, unknown>)[name];
      const { message, data } = refusal(tool, given);
      expect(message.toLowerCase()).toContain(name);
      expect(decode(tool, data.example).warnings).toEqual([]);
    });
  }

  test(`${tool.name}: parameters of other tools are named and ignored, or read as its own`, () => {
    const own = propertiesOf(tool).map(([name]) => name);
    for (const other of TOOLS) {
      for (const [name, property] of propertiesOf(other)) {
        // Every tool takes `format`.
        if (own.includes(name) || name === "format") continue;
        const { warnings } = decode(tool, { ...tool.example, [name]: valid(other, name, property) });
        expect(warnings.join(" "), name).toContain(name);
      }
    }
  });

  test(`${tool.name}: huge values are cut, clamped or refused by name, in a short answer`, async () => {
    const context = { compass: fakeCompass(), settings: DEFAULT_SETTINGS, version: "0" };
    for (const [name, property] of propertiesOf(tool)) {
      const huge = property.type === "string" ? "x".repeat(1_000_000) : property.type === "boolean" ? undefined : 1e15;
      if (huge === undefined) continue;
      const { text, isError, body } = await runTool(tool, { ...tool.example, [name]: huge }, context, {
        format: "json",
      });
      expect(text.length, name).toBeLessThan(DEFAULT_SETTINGS.maxResponseBytes);
      const { code, data } = (body.error ?? { data: {} }) as { code?: string; data: Fields };
      // A value that a schema allows may name nothing that exists.
      if (isError && data.parameter === undefined)
        expect(code, name).toMatch(/_not_(found|indexed|registered|allowed)$/);
      else if (isError) expect(data.parameter).toBe(name);
    }
  });
}

function refusalText({ message, data }: CompassError): string {
  return `${message} ${JSON.stringify(data)}`;
}

test("an unknown kind lists the kinds there are", () => {
  const locate = TOOLS.find(({ name }) => name === "locate_symbol")!;
  const { message, data } = refusal(locate, { name: "x", kind: "functionn" });
  expect(data.parameter).toBe("kind");
  expect(message).toMatch(/kind must be one of: fn, method, .*selector/);
  expect(decode(locate, { name: "x", kind: "Function" }).warnings).toEqual([]);
});

/**
 * Writes the TypeScript types of every tool's input and answer into the build, from the schemas that the tools declare.
 * `rootDirs` of tsconfig.json makes src/library find them there.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { jsonSchema, TOOLS } from "../src/tools/index.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly description?: string;
}

const PRIMITIVES = ["string", "number", "boolean", "null"];

function toolTypes(): string {
  const tools = TOOLS.map(({ name, input, output }) => ({
    name,
    input: jsonSchema(input) as Schema,
    answer: jsonSchema(output) as Schema,
  }));
  const common = sharedProperties(tools.map(({ answer }) => answer.properties?.metadata ?? {}));
  const names = namesOfRepeated(tools.map(({ answer }) => answer));
  const objectText = objectWriter(names);
  const rows = tools.map(({ name, input, answer }) => {
    const { metadata = {}, ...own } = answer.properties ?? {};
    const more = Object.entries(metadata.properties ?? {}).filter(([field]) => !(field in common));
    const extra = { ...metadata, properties: Object.fromEntries(more) };
    const body = objectText({ ...answer, properties: own }, "    ");
    const type = `${body} & { readonly metadata: Metadata${more.length > 0 ? ` & ${objectText(extra, "    ")}` : ""} }`;
    return `  readonly ${name}: {\n    readonly input: ${objectText(input, "    ")};\n    readonly answer: ${type};\n  };`;
  });
  const metadata = { ...tools[0]!.answer.properties!.metadata!, properties: common };
  return `/** Input and answer of every tool, as docs/tools.md describes them. */
export interface ToolTypes {
${rows.join("\n")}
}

/** What every answer says of itself. */
export interface Metadata ${objectText(metadata, "")}
${[...names].map(([key, name]) => `\ninterface ${name} ${objectText(JSON.parse(key), "", { inline: true })}\n`).join("")}`;
}

/** A smaller object is as short as its name. */
const WORTH_NAMING = 3;
/** Metadata is written by itself; the other one is JavaScript's. */
const TAKEN = ["", "Metadata", "Symbol"];

/** The objects that occur several times, as JSON, with the names of the fields that hold them. */
function namesOfRepeated(schemas: readonly Schema[]): Map<string, string> {
  const fields = new Map<string, string[]>();
  const visit = (schema: Schema, field: string) => {
    const { properties = {}, items, anyOf = [], allOf = [] } = schema;
    if (schema.type === "object" && Object.keys(properties).length >= WORTH_NAMING)
      fields.set(keyOf(schema), [...(fields.get(keyOf(schema)) ?? []), field]);
    for (const [name, one] of Object.entries(properties)) visit(one, name);
    if (items !== undefined) visit(items, field.replace(/(?:(?<=ch)e)?s$/, ""));
    for (const one of [...anyOf, ...allOf]) visit(one, field);
  };
  for (const schema of schemas) visit(schema, "");
  const names = new Map<string, string>();
  for (const [key, [field = ""]] of [...fields].filter(([, all]) => all.length > 1)) {
    const name = field.replace(/(?:^|_)([a-z])/g, (_, first: string) => first.toUpperCase());
    if (![...TAKEN, ...names.values()].includes(name)) names.set(key, name);
  }
  return names;
}

/** A description belongs to the field. */
function keyOf({ description: _, ...schema }: Schema): string {
  return JSON.stringify(schema);
}

/** Properties that all of the objects have. */
function sharedProperties(objects: readonly Schema[]): Record<string, Schema> {
  const [first = {}, ...others] = objects;
  const inAll = ([name, schema]: [string, Schema]) =>
    others.every(({ properties }) => JSON.stringify(properties?.[name]) === JSON.stringify(schema));
  return Object.fromEntries(Object.entries(first.properties ?? {}).filter(inAll));
}

/** `inline`: writes the object's fields even if it has a name. */
type ObjectWriter = (schema: Schema, indent: string, options?: { readonly inline: true }) => string;

function objectWriter(names: ReadonlyMap<string, string>): ObjectWriter {
  const typeText = (schema: Schema, indent: string): string => {
    const { type, anyOf, allOf } = schema;
    const joined = (parts: readonly Schema[], by: string) => parts.map((one) => `(${typeText(one, indent)})`).join(by);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
    if (anyOf !== undefined) return joined(anyOf, " | ");
    if (allOf !== undefined) return joined(allOf, " & ");
    if (Array.isArray(type))
      return joined(
        type.map((one) => ({ ...schema, type: one })),
        " | ",
      );
    if (type === "array") return `ReadonlyArray<${typeText(schema.items ?? {}, indent)}>`;
    if (type === "object") return objectText(schema, indent);
    if (type === "integer") return "number";
    return PRIMITIVES.find((one) => one === type) ?? "unknown";
  };
  const objectText: ObjectWriter = (schema, indent, options) => {
    const name = names.get(keyOf(schema));
    if (name !== undefined && options?.inline !== true) return name;
    const { properties = {}, required = [], additionalProperties } = schema;
    const inner = `${indent}  `;
    const rows = Object.entries(properties).flatMap(([field, one]) => [
      ...(one.description === undefined ? [] : [`/** ${one.description.replaceAll("*/", "* /")} */`]),
      `readonly ${field}${required.includes(field) ? "" : "?"}: ${typeText(one, inner)};`,
    ]);
    if (additionalProperties) {
      const others = rows.length > 0 ? "unknown" : typeText(additionalProperties, inner);
      rows.push(`readonly [key: string]: ${others};`);
    }
    return `{\n${rows.map((row) => `${inner}${row}\n`).join("")}${indent}}`;
  };
  return objectText;
}

const text = toolTypes();
// The package has one copy. The other lies where `rootDirs` finds nothing else: stale declarations would hide a lost module.
for (const folder of ["library", "generated/library"].map((name) => resolve(import.meta.dirname, "../dist", name))) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(resolve(folder, "tool-types.d.ts"), text);
}

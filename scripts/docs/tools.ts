/** docs/tools.md: every tool as a client sees it. */
import { COMMON_ERRORS, type ToolDefinition } from "../../src/tools/define.ts";
import { jsonSchema, TOOLS } from "../../src/tools/index.ts";
import { block, code, table } from "./markdown.ts";

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
}

export function toolsPage(): string {
  return `# Tools

The same tools over MCP and as \`codecompass <tool>\` on the command line. Any call can also fail with
${COMMON_ERRORS.map(code).join(", ")}; see [errors](errors.md).

${TOOLS.map(section).join("\n")}`;
}

function section(tool: ToolDefinition): string {
  const { properties, required } = jsonSchema(tool.input) as {
    properties: Record<string, Property>;
    required?: string[];
  };
  const rows = Object.entries(properties).map(([name, property]) => [
    code(name),
    typeText(property),
    required?.includes(name) ? "yes" : "",
    property.default === undefined ? "" : code(JSON.stringify(property.default)),
    property.description ?? "",
  ]);
  const errors = tool.errors.length === 0 ? "" : `\nErrors: ${tool.errors.map(code).join(", ")}.\n`;
  return `## ${tool.name}

${tool.description}

${table(["Parameter", "Type", "Required", "Default", "Meaning"], rows)}${errors}
${block("json", JSON.stringify(tool.example))}`;
}

function typeText({ type, enum: values }: Property): string {
  return values ? values.map(code).join(" ") : (type ?? "any");
}

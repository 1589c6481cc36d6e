/** docs/errors.md: the registry of error codes. */
import { ERRORS } from "../../src/model/errors.ts";
import { code, table } from "./markdown.ts";

export function errorsPage(): string {
  const rows = Object.entries(ERRORS).flatMap(([name, row]) => [
    [code(name), row.message, row.remediation],
    ...Object.entries("byCause" in row ? row.byCause : {}).map(([cause, { message, remediation }]) => [
      `${code(name)}, \`data.cause\` ${code(cause)}`,
      message,
      remediation,
    ]),
  ]);
  return `# Errors

The list is closed and a code is never renamed. Over MCP a refusal is a tool result with \`isError: true\` whose text is
\`{"error":{"code","message","data"},"metadata"}\`; \`data.remediation\` says what to do next. On the command line the
message and the remedy go to stderr and the exit code is 2.

${table(["Code", "Message", "What to do"], rows)}`;
}

/**
 * What a tool told, as MCP carries it: once as text, once as structured content. The text is the JSON of the content, so
 * a message is put together from it instead of being written out a second time.
 */
import { compactJson } from "../tools/json.ts";

export class ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: object;

  constructor(text: string, body: object) {
    this.content = [{ type: "text", text }];
    this.structuredContent = body;
  }
}

/** `compactJson` of the message, in half the time where a tool's answer is in it. */
export function messageJson(message: object): string {
  const { result, ...rest } = message as { readonly result?: unknown };
  if (!(result instanceof ToolResult) || Object.keys(message)[0] !== "result") return compactJson(message);
  const { text } = result.content[0]!;
  const content = `[{"type":"text","text":${JSON.stringify(text)}}]`;
  return `{"result":{"content":${content},"structuredContent":${text}},${compactJson(rest).slice(1)}`;
}

/** JSON with comments and trailing commas, as configuration files are written; undefined when it is not even that. */
export function parseJsonc(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parsed(
      text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, string?: string) => string ?? ""),
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string?: string) => string ?? ""));
  } catch {
    return undefined;
  }
}

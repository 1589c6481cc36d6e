/** The error message on a line of a trace, a compiler or a test runner. */

const MAX_MESSAGE = 500;

export function readMessage(line: string, before: string): string | undefined {
  const found = messageText(line.trim(), before)?.trim();
  if (found === undefined || !/\p{L}{2}/u.test(found)) return undefined;
  return found.replace(/ in \/?[^\s:]+:\d+$/, "").slice(0, MAX_MESSAGE);
}

function messageText(line: string, before: string): string | undefined {
  // Rust prints the message below the place.
  if (/\bpanicked at \S+:\d+:\d+:$/.test(before)) return line;
  const panicked = /\bpanicked at '(.+)', \S+$/.exec(line);
  if (panicked !== null) return panicked[1];
  for (const pattern of PATTERNS) {
    const text = pattern.exec(line)?.groups?.text;
    if (text !== undefined) return text;
  }
  return undefined;
}

const PATTERNS: readonly RegExp[] = [
  // Elixir: ** (ArgumentError) text
  /^(?:\d+\) .*)?\*\* \([\w.]+\) (?<text>.+)$/,
  // Ruby: …:in 'add': text (ArgumentError)
  /:in [`'][^']*': (?<text>.+) \([A-Z][\w:]*\)$/,
  // A class of errors, with what Java, Node, .NET or pytest put before it.
  /(?:^|[\s>])[\w.$\\]*(?:Error|Exception|Failure|Warning|Panic|Fault)(?: \[\w+\]|\(\w+\))?: (?<text>.+)$/,
  // A severity: error TS2322: text, error[E0308]: text, fatal: text
  /\b(?:error|fatal|panic|warning|FAILED)(?: [A-Z]+\d+|\[\w+\]| \w+ error)?: (?<text>.+)$/i,
];

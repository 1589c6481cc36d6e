/**
 * SCIP documents as bytes, after the public schema (scip.proto, version 0). Concatenated messages of one index are one
 * index, so that an index of any size is written part by part.
 */

export interface ScipOccurrence {
  /** 0-based. */
  readonly line: number;
  /** 0-based, in UTF-16 units; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly symbol: string;
  readonly role: "definition" | "import" | "reference";
}

export interface ScipSymbol {
  readonly symbol: string;
  readonly name: string;
  readonly signature?: string;
  readonly doc?: string;
  /** Symbols of the types that it extends or implements. */
  readonly implements: readonly string[];
}

export interface ScipDocument {
  readonly path: string;
  readonly language: string;
  readonly occurrences: readonly ScipOccurrence[];
  readonly symbols: readonly ScipSymbol[];
}

/** The head of an index: which program wrote it, and about which directory. */
export function encodeMetadata(tool: { readonly version: string }, projectRoot: string): Uint8Array {
  const toolInfo = join([text(1, "codecompass"), text(2, tool.version)]);
  return field(1, join([field(2, toolInfo), text(3, projectRoot), varintField(4, UTF8)]));
}

export function encodeDocument({ path, language, occurrences, symbols }: ScipDocument): Uint8Array {
  return field(
    2,
    join([
      text(1, path),
      ...occurrences.map((it) => field(2, encodeOccurrence(it))),
      ...symbols.map((it) => field(3, encodeSymbol(it))),
      text(4, language),
      varintField(6, UTF16_OFFSETS),
    ]),
  );
}

const UTF8 = 1;
const UTF16_OFFSETS = 2;
const ROLES = { reference: 0, definition: 1, import: 2 } as const;

function encodeOccurrence({ line, start, end, symbol, role }: ScipOccurrence): Uint8Array {
  const range = join([varint(line), varint(start), varint(end)]);
  return join([field(1, range), text(2, symbol), ...(ROLES[role] > 0 ? [varintField(3, ROLES[role])] : [])]);
}

function encodeSymbol({ symbol, name, signature, doc, implements: bases }: ScipSymbol): Uint8Array {
  return join([
    text(1, symbol),
    ...[signature, doc].flatMap((it) => (it === undefined ? [] : [text(3, it)])),
    // SymbolInformation.relationships: symbol, is_implementation.
    ...bases.map((base) => field(4, join([text(1, base), varintField(3, 1)]))),
    text(6, name),
  ]);
}

const encoder = new TextEncoder();

function text(number: number, value: string): Uint8Array {
  return field(number, encoder.encode(value));
}

/** A length-delimited field. */
function field(number: number, bytes: Uint8Array): Uint8Array {
  return join([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varintField(number: number, value: number): Uint8Array {
  return join([varint(number << 3), varint(value)]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Uint8Array.of(...bytes, rest);
}

export function join(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

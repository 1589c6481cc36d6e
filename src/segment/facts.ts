/** The codec of a file's facts: words as JSON, uses of names as varints; compressed and checksummed like a record. */
import type { ConnectionFact } from "../model/connections.ts";
import { type Expression, type FactDefinition, type Facts, type ImportFact, NO_FACTS } from "../model/edges.ts";
import { KINDS } from "../model/kinds.ts";
import { ByteCursor, ByteWriter, fromUtf8, utf8 } from "./bytes.ts";
import { seal, TAG, unseal } from "./stored-content.ts";

/** Empty for files without facts. */
export function encodeFacts(facts: Facts | undefined): Uint8Array {
  if (facts === undefined) return new Uint8Array(0);
  const out = new ByteWriter();
  const words = utf8(JSON.stringify(packWords(facts)));
  out.varint(words.length);
  out.raw(words);
  packSites(out, facts);
  return seal(TAG.facts, out.written());
}

/** Throws `CorruptionError`. */
export function decodeFacts(bytes: Uint8Array): Facts {
  if (bytes.length === 0) return NO_FACTS;
  const content = unseal(TAG.facts, bytes);
  const cursor = new ByteCursor(content, 0);
  const length = cursor.varint();
  const words = JSON.parse(fromUtf8(content.subarray(cursor.at, cursor.at + length))) as PackedWords;
  cursor.at += length;
  return { ...unpackWords(words), sites: unpackSites(cursor) };
}

type PackedDefinition = [
  name: string,
  kind: number,
  parent: number,
  type?: Expression | 0,
  scope?: number,
  params?: readonly Expression[],
];
type PackedImport = [
  module: string,
  name: string,
  local: string,
  line: number,
  column: number,
  exported?: string | 0,
  required?: 1,
];
type PackedWords = [
  definitions: PackedDefinition[],
  imports: PackedImport[],
  names: readonly string[],
  expressions: readonly string[],
  locals: readonly string[],
  fields: (string | number)[][],
  connections?: readonly ConnectionFact[],
];

function packWords({ definitions, imports, names, expressions, locals, fields, connections }: Facts): PackedWords {
  const words: PackedWords = [
    definitions.map(packDefinition),
    imports.map(packImport),
    names,
    expressions,
    locals,
    fields.map(({ owner, name, type }) => [owner, name, type]),
  ];
  if (connections) words[6] = connections;
  return words;
}

function packImport({ module, name, local, line, column, exported, required }: ImportFact): PackedImport {
  const head = [module, name, local, line, column] as const;
  if (required) return [...head, exported ?? 0, 1];
  return exported === undefined ? [...head] : [...head, exported];
}

/** Added to the number of a kind. */
const STATIC = 256;

function packDefinition({ name, kind, parent, type, scope, params, ...rest }: FactDefinition): PackedDefinition {
  const number = KINDS.indexOf(kind) + (rest.static ? STATIC : 0);
  if (params !== undefined) return [name, number, parent, type ?? 0, scope ?? -1, params];
  if (scope !== undefined) return [name, number, parent, type ?? 0, scope];
  return type === undefined ? [name, number, parent] : [name, number, parent, type];
}

function unpackWords(packed: PackedWords): Omit<Facts, "sites"> {
  const [definitions, imports, names, expressions, locals, fields, connections] = packed;
  return {
    definitions: definitions.map(
      ([name, kind, parent, type, scope = -1, params]): FactDefinition => ({
        name,
        kind: KINDS[kind % STATIC]!,
        parent,
        ...(kind >= STATIC && { static: true }),
        ...(type && { type }),
        ...(scope >= 0 && { scope }),
        ...(params && { params }),
      }),
    ),
    imports: imports.map(
      ([module, name, local, line, column, exported, required]): ImportFact => ({
        module,
        name,
        local,
        line,
        column,
        ...(exported !== undefined && exported !== 0 && { exported }),
        ...(required && { required: true }),
      }),
    ),
    names,
    expressions,
    locals,
    fields: fields.map(([owner, name, type]) => ({
      owner: owner as number,
      name: name as string,
      type: type as string,
    })),
    ...(connections && { connections }),
  };
}

/** Added to numbers that may be -1 or -2. */
const SHIFT = 2;

function packSites(out: ByteWriter, { sites }: Facts): void {
  out.varint(sites.count);
  let name = 0;
  let line = 0;
  for (let i = 0; i < sites.count; i++) {
    const same = sites.names[i] === name;
    if (!same) line = 0;
    out.varint(((sites.names[i]! - name) << 3) | sites.kinds[i]!);
    out.varint(sites.lines[i]! - line);
    out.varint(sites.columns[i]!);
    out.varint(sites.from[i]! + SHIFT);
    out.varint(sites.bound[i]! + SHIFT);
    out.varint(sites.receivers[i]! + SHIFT);
    name = sites.names[i]!;
    line = sites.lines[i]!;
  }
}

function unpackSites(cursor: ByteCursor): Facts["sites"] {
  const count = cursor.varint();
  const [names, lines, columns] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
  const [from, bound, receivers] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const kinds = new Uint8Array(count);
  let name = 0;
  let line = 0;
  for (let i = 0; i < count; i++) {
    const head = cursor.varint();
    if (head >>> 3 !== 0) line = 0;
    name += head >>> 3;
    line += cursor.varint();
    names[i] = name;
    kinds[i] = head & 7;
    lines[i] = line;
    columns[i] = cursor.varint();
    from[i] = cursor.varint() - SHIFT;
    bound[i] = cursor.varint() - SHIFT;
    receivers[i] = cursor.varint() - SHIFT;
  }
  return { count, names, kinds, lines, columns, from, bound, receivers };
}

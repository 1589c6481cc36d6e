/**
 * gRPC: services of Protocol Buffers, the types that implement them, and calls of their clients. Generated code joins the two
 * sides and is seldom committed, so they are matched by the names that each generator derives from the service.
 */
import type { ConnectionFile } from "./connections.ts";

interface RpcRow {
  readonly languages: readonly string[];
  /** One of them is in every file that a pattern may match. */
  readonly words: readonly string[];
  /** Finds a type and the service that it implements, in either order. */
  readonly implemented?: RegExp;
  /** Finds a variable that holds a client, and its service. */
  readonly client: RegExp;
}

const ROWS: readonly RpcRow[] = [
  {
    languages: ["python"],
    words: ["Servicer", "Stub"],
    implemented: /^class\s+(?<type>\w+)\([^)]*?\b(?<service>\w+)Servicer\b[^)]*\)/gm,
    client: /(?<name>\w+)\s*=\s*[\w.]*?\b(?<service>\w+)Stub\(/g,
  },
  {
    languages: ["go"],
    words: ["Unimplemented", "Client"],
    implemented: /\btype\s+(?<type>\w+)\s+struct\s*\{[^{}]*?\bUnimplemented(?<service>\w+)Server\b/g,
    client:
      /(?<name>\w+)(?:\s*(?:,\s*\w+\s*)?:?=\s*|:\s+)[\w.]*\bNew(?<service>\w+)Client\(|^\s+(?<field>\w+)\s+\w+\.(?<held>\w+)Client$/gm,
  },
  {
    languages: ["java", "kotlin", "scala"],
    words: ["Grpc", "CoroutineStub", "CoroutineImplBase"],
    implemented:
      /\bclass\s+(?<type>\w+)[^{}]*?(?:\bextends|:)\s+(?:\w+\.)*(?<service>\w+?)(?:CoroutineImplBase|ImplBase)\b/g,
    client:
      /\b(?:\w+\.)?(?<held>\w+?)(?:Blocking|Future|Coroutine)?Stub\s+(?<field>\w+)\b|(?<name>\w+)\s*=\s*(?:\w+\.)*(?<service>\w+?)Grpc\.new\w*Stub\(/g,
  },
  {
    languages: ["csharp"],
    words: ["Base", "Client"],
    implemented: /\bclass\s+(?<type>\w+)[^{}:]*:\s*(?:\w+\.)*(?<service>\w+)\.\k<service>Base\b/g,
    client:
      /\b(?:\w+\.)*?(?<held>\w+)\.\k<held>Client\s+(?<field>\w+)|(?<name>\w+)\s*=\s*new\s+(?:\w+\.)*?(?<service>\w+)\.\k<service>Client\(/g,
  },
  {
    languages: ["rust"],
    words: ["tonic", "_server::", "_client::"],
    implemented:
      /\bimpl\s+(?:\w+::)*\w+_server::(?<service>\w+)\s+for\s+(?<type>\w+)|#\[tonic::async_trait\]\s*impl\s+(?:\w+::)*(?<trait>\w+)\s+for\s+(?<of>\w+)/g,
    client:
      /\blet\s+(?:mut\s+)?(?<name>\w+)\s*(?::[^=]*)?=\s*(?:\w+::)*(?<service>\w+)Client::(?:connect|new|with_\w+)\(/g,
  },
  {
    languages: ["javascript", "typescript", "tsx"],
    words: ["grpc"],
    client: /(?<name>\w+)\s*=\s*new\s+(?:\w+\.)*(?<service>\w+?)(?:Client)?\((?=[^;]*?\bcredentials\b)/g,
  },
];

export function readRpc(file: ConnectionFile): void {
  const { language, text } = file;
  if (language === "proto") readServices(file);
  for (const { languages, words, implemented, client } of ROWS) {
    if (!languages.includes(language) || !words.some((word) => text.includes(word))) continue;
    if (implemented)
      for (const { index, groups } of text.matchAll(implemented)) {
        const { service, type, trait, of } = groups!;
        readMembers(file, { at: index, type: (type ?? of)!, service: (service ?? trait)! });
      }
    for (const { groups } of text.matchAll(client))
      readCalls(file, (groups!.name ?? groups!.field)!, (groups!.service ?? groups!.held)!);
  }
  if (text.includes(".addService(")) readAddedServices(file);
}

function readServices(file: ConnectionFile): void {
  file.symbols.forEach(({ kind, name, parent, span }, symbol) => {
    if (kind !== "method" || parent === undefined) return;
    const key = rpcKey(file.symbols[parent]!.name, name);
    file.add(span.start, { side: "definition", kind: "rpc", key, target: { symbol } });
  });
}

interface Implementation {
  readonly at: number;
  readonly type: string;
  readonly service: string;
}

/** Methods of the type; in Rust, those of the block. */
function readMembers(file: ConnectionFile, { at, type, service }: Implementation): void {
  const block =
    file.language === "rust" ? file.symbols.find((it) => it.kind === "impl" && it.span.end > at) : undefined;
  file.symbols.forEach(({ kind, name, qualifiedName, span }, symbol) => {
    const owner = qualifiedName.split(/::|[.\\]/).at(-2);
    if (!METHODS.has(kind) || owner !== type || name.startsWith("_")) return;
    if (block !== undefined && (span.start < block.span.start || span.end > block.span.end)) return;
    // A helper, by the convention of the language.
    if ((file.language === "go" || file.language === "python") && !/^[A-Z]/.test(name)) return;
    file.add(span.start, { side: "definition", kind: "rpc", key: rpcKey(service, name), target: { symbol } });
  });
}

const METHODS: ReadonlySet<string> = new Set(["method", "fn"]);
/** More names are generated code. */
const MOST_CALLS = 500;

function readCalls(file: ConnectionFile, variable: string, service: string): void {
  let left = MOST_CALLS;
  for (const it of file.text.matchAll(
    new RegExp(`(?<![\\w])${variable}(?:\\(\\))?\\s*\\.\\s*([A-Za-z]\\w*)\\s*\\(`, "g"),
  )) {
    if (left-- === 0) return;
    const key = rpcKey(service, it[1]!);
    // What every client has beside its methods.
    if (!/\/(?:Close|Connect|With\w*|New\w*|GetChannel|MaxDecoding\w*)$/.test(key))
      file.add(it.index, { side: "use", kind: "rpc", key });
  }
}

const ADDED = /\.addService\(\s*(?:[\w$]+\.)*?([\w$]+)(\.service)?\s*,\s*\{([^{}]*)/g;

/** `server.addService(proto.Orders.service, { placeOrder })` of Node. */
function readAddedServices(file: ConnectionFile): void {
  for (const it of file.text.matchAll(ADDED)) {
    const written = it[1]!;
    const service = it[2] === undefined ? written.replace(/ServiceService$/, "Service") : written;
    const from = it.index + it[0].length - it[3]!.length;
    for (const pair of it[3]!.matchAll(/(?:^|,)\s*(\w+)\s*(?::\s*([\w.]+)\s*)?(?=,|\s*$)/g)) {
      const handler = pair[2] ?? pair[1]!;
      const at = from + pair.index + pair[0].lastIndexOf(handler) + handler.lastIndexOf(".") + 1;
      file.add(at, { side: "definition", kind: "rpc", key: rpcKey(service, pair[1]!), target: file.siteAt(at) });
    }
  }
}

/** Generators write `place_order` and `placeOrder` for `PlaceOrder`. */
function rpcKey(service: string, method: string): string {
  return `${service}/${method.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;
}

/**
 * A model behind an OpenAI-compatible `/embeddings` endpoint. Used only where the user has configured its address: texts
 * of the repository leave the machine then. The key comes from the environment, goes into one header, and nowhere else.
 */
import { packVectors, unitVector } from "../../embed/quantise.ts";
import type { Passage } from "../../model/vectors.ts";
import type { Embedder } from "../../ports/embedder.ts";

export interface EndpointOptions {
  readonly endpoint: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly hash: (text: string) => string;
}

const TEXTS_AT_ONCE = 64;
/** Models truncate longer texts anyway. */
const LONGEST_TEXT = 8_000;
const TIMEOUT_MS = 60_000;
const PROBE = "codecompass";

/** Requests one vector to learn the dimensions. Throws when the endpoint does not respond as it should. */
export async function openEndpoint(options: EndpointOptions): Promise<Embedder> {
  const url = embeddingsUrl(options.endpoint);
  const embed = (texts: readonly string[], signal?: AbortSignal) => request(url, options, texts, signal);
  const [probe] = await embed([PROBE]);
  const dims = probe?.length ?? 0;
  if (dims === 0) throw new Error("the endpoint gave an empty vector");
  const fingerprint = options.hash(`endpoint\0${url}\0${options.model}\0${dims}`);
  return {
    model: { name: options.model, fingerprint, dims },
    query: async (text, signal) => {
      const [row] = await embed([text.slice(0, LONGEST_TEXT)], signal);
      return row && unitVector(row, dims);
    },
    documents: async (passages, signal) => {
      const rows: number[][] = [];
      for (let at = 0; at < passages.length; at += TEXTS_AT_ONCE) {
        rows.push(...(await embed(passages.slice(at, at + TEXTS_AT_ONCE).map(passageText), signal)));
      }
      return packVectors(rows, dims);
    },
  };
}

function passageText({ text, path }: Passage): string {
  return `${path ?? ""}\n${text}`.slice(0, LONGEST_TEXT);
}

function embeddingsUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error("the endpoint must be an http(s) address");
  url.pathname = `${url.pathname.replace(/\/+$/, "").replace(/\/embeddings$/, "")}/embeddings`;
  return url.href;
}

async function request(
  url: string,
  { model, apiKey }: EndpointOptions,
  input: readonly string[],
  signal: AbortSignal | undefined,
): Promise<number[][]> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({ model, input }),
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    // The user has not configured the server that a redirect points to.
    redirect: "error",
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw new Error(`the endpoint does not answer: ${describeCause(error)}`);
  });
  if (!response.ok) throw new Error(`the endpoint answered ${response.status}`);
  return parseVectors(await response.json().catch(() => undefined), input.length);
}

function parseVectors(body: unknown, count: number): number[][] {
  const { data } = (body ?? {}) as { data?: readonly { index?: number; embedding?: unknown }[] };
  if (!Array.isArray(data) || data.length !== count) throw new Error("the endpoint's answer has not one vector a text");
  const ordered = data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)).map(({ embedding }) => embedding);
  if (!ordered.every(isVector)) throw new Error("the endpoint's answer holds something that is no vector");
  return ordered as number[][];
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((one) => typeof one === "number" && Number.isFinite(one));
}

function describeCause(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}

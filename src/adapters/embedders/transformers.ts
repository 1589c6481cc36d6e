/**
 * A local ONNX folder or a Hugging Face model, through @huggingface/transformers: an optional package, loaded only when
 * such a model is configured. A folder is read from disk; a named model may be downloaded by that package.
 */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { packVectors, unitVector } from "../../embed/quantise.ts";
import type { Embedder } from "../../ports/embedder.ts";

export interface TransformersOptions {
  readonly model: string;
  readonly hash: (text: string) => string;
  /** The package, for tests. */
  readonly load?: () => Promise<unknown>;
}

/** The part of the package that is used here. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  pipeline(task: "feature-extraction", model: string, options: object): Promise<Extract>;
}
type Extract = (texts: readonly string[], options: object) => Promise<{ tolist(): number[][] }>;

const PACKAGE = "@huggingface/transformers";
const TEXTS_AT_ONCE = 16;
/** Characters of about 512 tokens, which is what such models read. */
const LONGEST_TEXT = 2_500;

export async function openTransformers({ model, hash, load = imported }: TransformersOptions): Promise<Embedder> {
  const folder = modelFolder(model);
  if (folder !== undefined && !existsSync(folder)) throw new Error(`there is no folder ${folder}`);
  const package_ = (await load()) as Transformers;
  if (folder !== undefined)
    Object.assign(package_.env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: "" });
  const extract = await package_.pipeline("feature-extraction", folder ?? model, { dtype: "q8" });
  const embed = async (texts: readonly string[]) =>
    (
      await extract(
        texts.map((text) => text.slice(0, LONGEST_TEXT)),
        { pooling: "mean", normalize: true },
      )
    ).tolist();
  const [probe] = await embed(["codecompass"]);
  const dims = probe?.length ?? 0;
  if (dims === 0) throw new Error("the model gave an empty vector");
  return {
    model: { name: model, fingerprint: hash(`transformers\0${modelIdentity(folder ?? model)}\0${dims}`), dims },
    query: async (text) => {
      const [row] = await embed([text]);
      return row && unitVector(row, dims);
    },
    documents: async (passages, signal) => {
      const rows: number[][] = [];
      for (let at = 0; at < passages.length; at += TEXTS_AT_ONCE) {
        signal?.throwIfAborted();
        rows.push(
          ...(await embed(passages.slice(at, at + TEXTS_AT_ONCE).map(({ text, path }) => `${path ?? ""}\n${text}`))),
        );
      }
      return packVectors(rows, dims);
    },
  };
}

/** `./model`, `/models/x`, `C:\x` are folders; `owner/name` is a name, unless there is such a folder. */
export function modelFolder(model: string): string | undefined {
  const spelt = /^(?:\.{1,2}[\\/]|[\\/~]|[A-Za-z]:[\\/])/.test(model);
  return spelt || statSync(model, { throwIfNoEntry: false })?.isDirectory() ? resolve(model) : undefined;
}

/** Includes size and time of the weights: a folder whose weights were replaced is another model. */
function modelIdentity(model: string): string {
  const stats = ["onnx/model_quantized.onnx", "onnx/model.onnx", "config.json"].map((file) =>
    statSync(resolve(model, file), { throwIfNoEntry: false }),
  );
  return [model, ...stats.map((one) => `${one?.size ?? ""}:${one?.mtimeMs ?? ""}`)].join("\0");
}

async function imported(): Promise<unknown> {
  try {
    // Computed, so that the bundler leaves the optional package alone.
    return await import(String(PACKAGE));
  } catch (cause) {
    throw new Error(`it needs the package ${PACKAGE}: npm install ${PACKAGE}`, { cause });
  }
}

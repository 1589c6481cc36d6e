/** What a path alone says: secrets, binaries, lock files and minified bundles are known by their names. */
import type { SkipReason } from "../model/code.ts";
import type { IndexSettings } from "../ports/indexer.ts";
import { isSecretPath } from "./secret-names.ts";

export type SecretSettings = Pick<IndexSettings, "includeSecrets">;

const BINARY =
  /\.(?:png|jpe?g|gif|webp|bmp|ico|icns|tiff?|psd|heic|avif|mp[34]|m4[av]|ogg|opus|flac|wav|aiff?|avi|mov|mkv|webm|pdf|docx?|xlsx?|pptx?|od[tsp]|epub|zip|tar|t?gz|bz2|t?xz|zst|7z|rar|lz4|br|jar|war|ear|aar|apk|ipa|dmg|iso|deb|rpm|msi|cab|exe|dll|so|dylib|a|o|obj|lib|pdb|class|dex|pyc|pyo|pyd|whl|egg|gem|nupkg|snk|wasm|bin|db|sqlite3?|mdb|parquet|npy|npz|pkl|h5|onnx|safetensors|gguf|woff2?|ttf|otf|eot|swf|fla|blend|fbx|glb|stl|dwg|rlib|rmeta|node|beam|elc)$/i;

const GENERATED_NAME =
  /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum|go\.work\.sum|mix\.lock|pubspec\.lock|Podfile\.lock|Package\.resolved|flake\.lock|packages\.lock\.json|gradle\.lockfile|stack\.yaml\.lock|MODULE\.bazel\.lock)$/;
const GENERATED_EXTENSION =
  /(?:_pb2(?:_grpc)?\.py|\.(?:map|snap|pb\.go|pb\.cc|pb\.h|g\.dart|freezed\.dart|designer\.cs|g\.cs))$/i;
const MINIFIED = /[.-]min\.(?:m?js|cjs|css)$/i;

/**
 * Only names that are never text: what else is binary shows itself by a NUL.
 * Undefined: the content must be looked at. */
export function classifyPath(path: string, settings: SecretSettings): SkipReason | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!settings.includeSecrets && isSecretPath(path)) return "secret";
  if (BINARY.test(name)) return "binary";
  if (MINIFIED.test(name)) return "minified";
  if (GENERATED_NAME.test(name) || GENERATED_EXTENSION.test(name)) return "generated";
  return undefined;
}

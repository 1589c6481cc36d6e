/** What is checked out, from HEAD, loose refs and packed-refs. Asked before every answer, so it starts no process. */
import { join } from "node:path";
import { readBounded } from "../../io/bounded-read.ts";
import type { Head } from "../../ports/vcs.ts";
import { type GitRepository, read } from "./locate.ts";

/** What HEAD says where refs are kept in a form that only git itself reads (reftable). */
const ELSEWHERE = "refs/heads/.invalid";

export function usesReftable(repository: GitRepository): boolean {
  return readHeadText(repository) === `ref: ${ELSEWHERE}`;
}

/** `later`: only git itself can tell. */
export function readHead(repository: GitRepository): Head | "later" {
  const text = readHeadText(repository);
  const ref = refNamedBy(text);
  if (ref === ELSEWHERE) return "later";
  if (ref === undefined) return isObjectId(text) ? { commit: text } : {};
  const branch = ref.replace(/^refs\/heads\//, "");
  const commit = readRef(repository, ref);
  if (commit === "later") return commit;
  return commit === undefined ? { branch } : { branch, commit };
}

/** The full name of the ref that HEAD names; undefined where it names a commit. */
export function symbolicHead(repository: Pick<GitRepository, "gitDir">): string | undefined {
  return refNamedBy(readHeadText(repository));
}

function refNamedBy(text: string): string | undefined {
  return /^ref: (.+)$/.exec(text)?.[1];
}

function readHeadText({ gitDir }: Pick<GitRepository, "gitDir">): string {
  return read(join(gitDir, "HEAD"))?.trim() ?? "";
}

/** The ref that a symbolic ref names. */
export function readSymbolic(repository: GitRepository, ref: string): string | undefined {
  return refNamedBy(read(join(repository.commonDir, ref))?.trim() ?? "");
}

/** A symbolic ref may name another one; git itself stops after five. `later`: it is in a file that git reads better. */
export function readRef(repository: GitRepository, ref: string, depth = 5): string | "later" | undefined {
  const own = join(repository.gitDir, ref);
  const text = (read(own) ?? read(join(repository.commonDir, ref)))?.trim();
  const next = refNamedBy(text ?? "");
  if (next !== undefined) return depth > 0 ? readRef(repository, next, depth - 1) : undefined;
  return text !== undefined && isObjectId(text) ? text : packedRef(repository, ref);
}

/** Some 200,000 refs. To read more would keep the thread that answers for longer than git takes to start. */
const PACKED_REFS_BYTES = 16 << 20;

function packedRef({ commonDir }: GitRepository, ref: string): string | "later" | undefined {
  const file = readBounded(join(commonDir, "packed-refs"), PACKED_REFS_BYTES);
  if ("problem" in file) return file.problem.code === "too_large" ? "later" : undefined;
  const packed = file.bytes.toString("utf8");
  const at = `\n${packed}`.indexOf(` ${ref}\n`);
  if (at < 0) return undefined;
  const line = packed.slice(packed.lastIndexOf("\n", at - 1) + 1, at - 1);
  return isObjectId(line) ? line : undefined;
}

/** SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

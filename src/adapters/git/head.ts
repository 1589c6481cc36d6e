/** What is checked out, from HEAD, loose refs and packed-refs. Asked before every answer, so it starts no process. */
import { join } from "node:path";
import type { Head } from "../../ports/vcs.ts";
import { type Repository, read } from "./locate.ts";

/** What HEAD says where refs are kept in a form that only git itself reads (reftable). */
const ELSEWHERE = "refs/heads/.invalid";

export function keepsRefsElsewhere(repository: Repository): boolean {
  return headOf(repository) === `ref: ${ELSEWHERE}`;
}

/** `later`: the repository keeps its refs elsewhere. */
export function readHead(repository: Repository): Head | "later" {
  const text = headOf(repository);
  const ref = refNamedBy(text);
  if (ref === ELSEWHERE) return "later";
  if (ref === undefined) return isObjectId(text) ? { commit: text } : {};
  const branch = ref.replace(/^refs\/heads\//, "");
  const commit = readRef(repository, ref);
  return commit === undefined ? { branch } : { branch, commit };
}

/** The full name of the ref that HEAD names; undefined where it names a commit. */
export function symbolicHead(repository: Pick<Repository, "gitDir">): string | undefined {
  return refNamedBy(headOf(repository));
}

function refNamedBy(text: string): string | undefined {
  return /^ref: (.+)$/.exec(text)?.[1];
}

function headOf({ gitDir }: Pick<Repository, "gitDir">): string {
  return read(join(gitDir, "HEAD"))?.trim() ?? "";
}

/** The ref that a symbolic ref names. */
export function readSymbolic(repository: Repository, ref: string): string | undefined {
  return refNamedBy(read(join(repository.commonDir, ref))?.trim() ?? "");
}

/** A symbolic ref may name another one; git itself stops after five. */
export function readRef(repository: Repository, ref: string, depth = 5): string | undefined {
  const own = join(repository.gitDir, ref);
  const text = (read(own) ?? read(join(repository.commonDir, ref)))?.trim();
  const next = refNamedBy(text ?? "");
  if (next !== undefined) return depth > 0 ? readRef(repository, next, depth - 1) : undefined;
  return text !== undefined && isObjectId(text) ? text : packedRef(repository, ref);
}

/** A million refs; a larger file is reported as a problem of the repository. */
export const PACKED_REFS_BYTES = 128 << 20;

function packedRef(repository: Repository, ref: string): string | undefined {
  const packed = read(join(repository.commonDir, "packed-refs"), PACKED_REFS_BYTES);
  const at = packed === undefined ? -1 : `\n${packed}`.indexOf(` ${ref}\n`);
  if (packed === undefined || at < 0) return undefined;
  const line = packed.slice(packed.lastIndexOf("\n", at - 1) + 1, at - 1);
  return isObjectId(line) ? line : undefined;
}

/** SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

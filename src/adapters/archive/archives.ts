/** `.tar.zst` files by node's own zstd. */
import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { lstat, mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import { makeDirectories } from "../../io/make-directories.ts";
import { replaceFile } from "../../io/replace-file.ts";
import type { Archives, MemberSum, NewArchive, NewMember } from "../../ports/archive.ts";
import { readArchive } from "./read.ts";
import { BLOCK, createHeader, paddingLength, WINDOW_LOG } from "./tar.ts";

export function tarArchives(): Archives {
  return { write: writeArchive, read: readArchive };
}

/** Measured on an index of 1 M lines: level 3 takes half the time of 9 for a tenth more bytes. */
const LEVEL = 6;

async function writeArchive(path: string, archive: NewArchive): Promise<number> {
  makeDirectories(dirname(path));
  // Failing to clean up after other exports must not fail this one.
  await removeLeftovers(path).catch(() => {});
  const draft = draftPath(path, randomUUID());
  // Headers hold sizes and the manifest holds checksums: both are known after the content was written.
  const spool = await mkdtemp(spoolPrefix(path));
  try {
    const sums: MemberSum[] = [];
    for (const member of archive.members) sums.push(await spooled(member, join(spool, member.name)));
    const manifest = archive.manifest.content(sums);
    await pipeline(
      Readable.from(archiveBlocks(archive.manifest.name, manifest, sums, spool), { objectMode: false }),
      createZstdCompress({ params: PARAMS }),
      createWriteStream(draft, { flags: "wx", mode: 0o600 }),
    );
    await synced(draft);
    replaceFile(draft, path);
    return (await stat(path)).size;
  } finally {
    await rm(spool, { recursive: true, force: true });
    await rm(draft, { force: true });
  }
}

const PARAMS = {
  [constants.ZSTD_c_compressionLevel]: LEVEL,
  [constants.ZSTD_c_windowLog]: WINDOW_LOG,
  [constants.ZSTD_c_checksumFlag]: 1,
};

async function spooled(member: NewMember, file: string): Promise<MemberSum> {
  const hash = createHash("sha256");
  let size = 0;
  const counted = async function* () {
    for await (const part of member.content()) {
      hash.update(part);
      size += part.length;
      yield part;
    }
  };
  await pipeline(
    Readable.from(counted(), { objectMode: false }),
    createWriteStream(file, { flags: "wx", mode: 0o600 }),
  );
  return { name: member.name, size, sha256: hash.digest("hex") };
}

async function* archiveBlocks(name: string, manifest: Uint8Array, sums: readonly MemberSum[], spool: string) {
  yield createHeader(name, manifest.length);
  yield manifest;
  yield Buffer.alloc(paddingLength(manifest.length));
  for (const { name: member, size } of sums) {
    yield createHeader(member, size);
    yield* createReadStream(join(spool, member));
    yield Buffer.alloc(paddingLength(size));
  }
  yield Buffer.alloc(2 * BLOCK);
}

async function synced(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** An export of a million lines takes some seconds. */
const LEFT_MS = 3_600_000;

/** Name of an unfinished archive. */
function draftPath(path: string, word: string): string {
  return `${path}.${word}.tmp`;
}

function spoolPrefix(path: string): string {
  return join(dirname(path), `.${basename(path)}.`);
}

export async function removeLeftovers(path: string, now = Date.now()): Promise<void> {
  const [directory, base] = [dirname(path), escaped(basename(path))];
  const ours = new RegExp(`^(?:\\.${base}\\.\\w{6}|${base}\\.[0-9a-f]{8}-[0-9a-f-]{27}\\.tmp)$`);
  for (const name of (await readdir(directory)).filter((one) => ours.test(one))) {
    const left = join(directory, name);
    if (now - (await lastTouched(left)) > LEFT_MS) await rm(left, { recursive: true, force: true });
  }
}

/**
 * Newest modification time, including the entries of a directory. An entry that vanished meanwhile counts as in use. A
 * repository may hold such a name with links to everywhere: none is followed, and a spool has no directories in it.
 */
async function lastTouched(path: string): Promise<number> {
  try {
    const stats = await lstat(path);
    const inside = stats.isDirectory() ? await readdir(path) : [];
    const times = await Promise.all(inside.map(async (name) => (await lstat(join(path, name))).mtimeMs));
    return Math.max(stats.mtimeMs, ...times);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** S6, S7: truncated, forged, oversized or foreign archives are rejected, and the index stays unchanged. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, createZstdCompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tarArchives } from "../../src/adapters/archive/archives.ts";
import { createHeader, paddingLength } from "../../src/adapters/archive/tar.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { stateArchive } from "../../src/ingest/state-dump.ts";
import { restoreState, STATE_LIMITS } from "../../src/ingest/state-restore.ts";
import type { FileRecord } from "../../src/model/code.ts";
import type { ContentRestore, Store } from "../../src/ports/store.ts";
import { packRecord, unpackRecord } from "../../src/segment/record-columns.ts";
import { PROJECT, publishFiles, sha256, type TextFile, takeLease, testEnv } from "../kit/store.ts";

const scratch = mkdtempSync(join(tmpdir(), "archives-"));
const archives = tarArchives();
const env = testEnv();
const FILES: readonly TextFile[] = [
  { path: "src/a.rs", text: "def parse user\n\ntoken", language: "rust" },
  { path: "src/b.go", text: "def render", language: "go" },
];
const HERE: TextFile = { path: "here.rs", text: "def present", language: "rust" };
const good = join(scratch, "good.tar.zst");
let target: Store;

const naming = {
  projectId: PROJECT,
  productVersion: "1",
  schemaVersion: 1,
  nameOf: (view: string) => view,
  bases: ["main"],
};
const openStore = (name: string, failpoint = (_: string) => {}) =>
  sqliteStores({ env, hash: sha256, failpoint }).open(join(scratch, name), { create: true, project: PROJECT });

async function exported(store: Store, file: string): Promise<void> {
  const dump = await store.dump();
  await archives.write(file, stateArchive(dump, naming));
  dump.release();
}

/** Imports into the store that all these tests share. */
async function imported(file: string, store = target): Promise<void> {
  const lease = await takeLease(store);
  try {
    const into = await store.restore(lease);
    await filled(into, file).finally(() => into.abort());
  } finally {
    await lease.release();
  }
}

async function filled(into: ContentRestore, file: string): Promise<void> {
  const options = { project: PROJECT, hash: sha256, schemaVersion: 1, jobId: `j${Math.random()}`, now: 1 };
  const rest = { signal: new AbortController().signal, viewOf: (name: string) => name, base: "base" };
  await restoreState(archives.read(file, STATE_LIMITS), into, { ...options, ...rest });
  await into.commit();
}

async function pathsOf(store: Store, ref = "main"): Promise<string[] | undefined> {
  const snapshot = await store.snapshot(ref);
  const paths = (await snapshot?.files())?.map(({ path }) => path);
  snapshot?.release();
  return paths;
}

beforeAll(async () => {
  const source = await openStore("source");
  await publishFiles(source, FILES, { also: [{ path: "big.bin", skip: "binary" }] });
  await publishFiles(source, [{ ...FILES[1]!, text: "def branch" }], { ref: "feat/x" });
  await exported(source, good);
  await source.close();
  target = await openStore("target");
  await publishFiles(target, [HERE]);
});
afterAll(async () => {
  await target.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** The members of the valid archive, to be damaged and packed again. */
function members(): { name: string; content: Buffer }[] {
  const tar = zstdDecompressSync(readFileSync(good));
  const found: { name: string; content: Buffer }[] = [];
  for (let at = 0; tar[at] !== 0; ) {
    const name = tar.toString("latin1", at, tar.indexOf(0, at));
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 135), 8);
    found.push({ name, content: tar.subarray(at + 512, at + 512 + size) });
    at += 512 + size + paddingLength(size);
  }
  return found;
}

type Members = ReturnType<typeof members>;

function tarOf(list: Members, header: (name: string, size: number) => Buffer = createHeader): Buffer {
  const blocks = list.flatMap(({ name, content }) => [
    header(name, content.length),
    content,
    Buffer.alloc(paddingLength(content.length)),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** The member with other content and a matching manifest: the checksums are right, the content is not. */
function forged(name: string, change: (content: Buffer) => Buffer): Buffer {
  const list = members().map((it) => (it.name === name ? { name, content: change(it.content) } : it));
  if (name === "manifest.json") return tarOf(list);
  const manifest = JSON.parse(list[0]!.content.toString());
  manifest.members = list.slice(1).map((it) => ({
    name: it.name,
    size: it.content.length,
    sha256: createHash("sha256").update(it.content).digest("hex"),
  }));
  list[0] = { name: "manifest.json", content: Buffer.from(JSON.stringify(manifest)) };
  return tarOf(list);
}

const inManifest = (change: (manifest: Record<string, unknown>) => void) => () =>
  forged("manifest.json", (content) => {
    const manifest = JSON.parse(content.toString());
    change(manifest);
    return Buffer.from(JSON.stringify(manifest));
  });
const inViews = (from: string | RegExp, to: string) => () =>
  forged("views.jsonl", (content) => Buffer.from(content.toString().replace(from, to)));

/** The head of the first frame with other fields, at its new length. */
const inHead = (change: (head: Record<string, unknown>) => void) => () =>
  forged("files.bin", (content) => {
    const length = content.readUInt32LE(0);
    const head = JSON.parse(content.toString("utf8", 4, 4 + length));
    change(head);
    const bytes = Buffer.from(JSON.stringify(head));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(bytes.length);
    return Buffer.concat([size, bytes, content.subarray(4 + length)]);
  });

/** The first record with other content. */
const inRecord = (change: (record: FileRecord) => object) =>
  inRecordBytes((bytes) => {
    const record = unpackRecord(bytes);
    return packRecord({ ...record, ...change(record) } as FileRecord);
  });

/** The first symbol with other fields. */
const spoilt =
  (fields: object) =>
  ({ symbols: [first, ...rest] }: FileRecord) => ({ symbols: [{ ...first, ...fields }, ...rest] });

const inRecordBytes = (change: (bytes: Uint8Array) => Uint8Array) => () =>
  forged("files.bin", (content) => {
    const length = content.readUInt32LE(0);
    const head = JSON.parse(content.toString("utf8", 4, 4 + length));
    const at = 4 + length;
    const record = change(content.subarray(at, at + head.sizes[0]));
    const bytes = Buffer.from(JSON.stringify({ ...head, sizes: [record.length, head.sizes[1], head.sizes[2]] }));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(bytes.length);
    return Buffer.concat([size, bytes, record, content.subarray(at + head.sizes[0])]);
  });

/** A header with some changed bytes and the right checksum. */
const withHeader = (spoil: (block: Buffer) => void) => () =>
  tarOf(members(), (name, size) => {
    const block = createHeader(name, size);
    spoil(block);
    block.fill(32, 148, 156);
    const sum = block.reduce((all, byte) => all + byte, 0);
    block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    return block;
  });
const named = (name: string) => withHeader((block) => block.fill(0, 0, 100).write(name, 0, "latin1"));
const typed = (type: string) => withHeader((block) => block.write(type, 156, "latin1"));

const HOSTILE: Readonly<Record<string, () => Buffer>> = {
  "a path upwards": named("../manifest.json"),
  "an absolute path": named("/etc/passwd"),
  "a name nobody expects": named("index.db"),
  "an empty name": named(""),
  "a symbolic link": typed("2"),
  "a hard link": typed("1"),
  "a device": typed("3"),
  "a block device": typed("4"),
  "a directory": typed("5"),
  "a FIFO": typed("6"),
  "a PAX header": typed("x"),
  "a global PAX header": typed("g"),
  "a GNU long name": typed("L"),
  "a sparse file": typed("S"),
  "an old-style regular file": typed("\0"),
  "a negative size": withHeader((block) => block.write("-0000000001\0", 124, "latin1")),
  "a size in base 256": withHeader((block) => block.fill(0xff, 124, 136)),
  "a size of ten gigabytes": withHeader((block) => block.write("77777777777\0", 124, "latin1")),
  "a size that is no number": withHeader((block) => block.write("zzz", 124, "latin1")),
  "a name after a NUL": withHeader((block) => block.write("evil", 60, "latin1")),
  "an owner": withHeader((block) => block.write("0001750\0", 108, "latin1")),
  "a header with a wrong sum": () => {
    const tar = tarOf(members());
    tar[100] = tar[100]! ^ 1;
    return tar;
  },
  "a member twice": () => tarOf([members()[0]!, members()[0]!, ...members().slice(1)]),
  "members in another order": () => tarOf([...members()].reverse()),
  "a missing member": () => tarOf(members().slice(0, 2)),
  "nothing at all": () => Buffer.alloc(1024),
  "something after the end": () => Buffer.concat([tarOf(members()), Buffer.from("more")]),
  "something between members": () => {
    const tar = tarOf(members());
    tar[512 + members()[0]!.content.length] = 1;
    return tar;
  },
  "a tar without its end": () => tarOf(members()).subarray(0, -1024),
  "a cut tar": () => tarOf(members()).subarray(0, 3000),
  "a changed byte in the files": () => {
    const list = members();
    list[2]!.content[list[2]!.content.length - 1]! ^= 1;
    return tarOf(list);
  },
  "a manifest that is no JSON": () => forged("manifest.json", () => Buffer.from("{")),
  "a manifest of null": () => forged("manifest.json", () => Buffer.from("null")),
  "a newer format": inManifest((it) => Object.assign(it, { format_version: 2 })),
  "a newer schema": inManifest((it) => Object.assign(it, { schema_version: 99 })),
  "another format": inManifest((it) => Object.assign(it, { format: "something" })),
  "sums of other members": inManifest((it) => Object.assign(it, { members: [] })),
  "a ref with a newline": inManifest((it) => Object.assign(it, { refs: [{ ref: "a\nb" }], base_ref: "a\nb" })),
  "views of another ref": inViews('"feat/x"', '"feat/y"'),
  "an entry upwards": inViews('"src/a.rs"', '"../a.rs"'),
  "an absolute entry": inViews('"src/a.rs"', '"/src/a.rs"'),
  "an entry with a NUL": inViews('"src/a.rs"', '"src/a\\u0000.rs"'),
  "an entry of a file that is not there": inViews(/"hash":"[0-9a-f]{4}/, '"hash":"0000'),
  "an unknown skip": inViews('"binary"', '"because"'),
  "an entry twice": inViews('"big.bin"', '"src/a.rs"'),
  "a line that is no JSON": inViews(/^/, "x"),
  "a last line without an end": () => forged("views.jsonl", (content) => content.subarray(0, -1)),
  "a file upwards": inHead((it) => Object.assign(it, { path: "../../a.rs" })),
  "a file with a hash that is none": inHead((it) => Object.assign(it, { hash: "../x" })),
  "a file with a huge size": inHead((it) => Object.assign(it, { sizes: [1e12, 1, 0] })),
  "a file with a negative size": inHead((it) => Object.assign(it, { sizes: [-1, 1, 0] })),
  "a file with one size": inHead((it) => Object.assign(it, { sizes: [1] })),
  "a frame with a head of four gigabytes": () =>
    forged("files.bin", (content) => Buffer.concat([Buffer.alloc(4, 0xff), content.subarray(4)])),
  "the record of another file": inRecord(() => ({ path: "other.rs" })),
  "a record whose problems are no list": inRecord(() => ({ problems: {} })),
  "a record that counts four billion symbols": inRecordBytes((bytes) => {
    const [length, ...rest] = bytes;
    return Uint8Array.of(length! + 4, 0xff, 0xff, 0xff, 0xff, 0x0f, ...rest.slice(1));
  }),
  "a record with something behind it": inRecordBytes((bytes) => Buffer.concat([bytes, Buffer.from("x")])),
  "a record that is cut": inRecordBytes((bytes) => bytes.subarray(0, -1)),
  "a record of nothing": inRecordBytes(() => new Uint8Array(0)),
  "a symbol outside its file": inRecord(spoilt({ span: { start: 0, end: 1e9, lineStart: 1, lineEnd: 1 } })),
  "a symbol of an unknown kind": inRecord(spoilt({ kind: "nothing" })),
  "a symbol that is its own parent": inRecord(spoilt({ parent: 0 })),
  "a chunk outside its file": inRecord(() => ({ chunks: [{ lineStart: 1, lineEnd: 1e9 }] })),
  "a text that is no UTF-8": () =>
    forged("files.bin", (content) => {
      const at = content.indexOf("def parse");
      const spoilt = Buffer.from(content);
      spoilt[at] = 0xff;
      return spoilt;
    }),
};

async function refusedAs(file: string): Promise<void> {
  await expect(imported(file)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(/archive/),
  });
  expect(await pathsOf(target)).toEqual([HERE.path]);
  expect(await target.verify("full")).toEqual([]);
  const left = readdirSync(join(scratch, "target")).filter((name) => /^index-/.test(name));
  expect(left).toEqual([]);
}

describe("rejected, and the index is unchanged:", () => {
  for (const [what, make] of Object.entries(HOSTILE)) {
    test(what, async () => {
      const file = join(scratch, "hostile.tar.zst");
      writeFileSync(file, zstdCompressSync(make()));
      await refusedAs(file);
    });
  }

  /** Node's decompressor ends with the first frame, and fails later on what is written to it after that. */
  const FRAMES: Readonly<Record<string, () => Buffer[]>> = {
    "an archive twice": () => [readFileSync(good), readFileSync(good)],
    "an archive in two frames": () => {
      const tar = zstdDecompressSync(readFileSync(good));
      return [tar.subarray(0, 700), tar.subarray(700)].map((part) => zstdCompressSync(part));
    },
    "an archive and a long frame": () => [readFileSync(good), zstdCompressSync(randomBytes(3 << 20))],
    "an archive and a megabyte of anything": () => [readFileSync(good), randomBytes(1 << 20)],
    "a long archive twice": () => {
      const long = members();
      long[2] = { name: "files.bin", content: randomBytes(3 << 20) };
      const frame = zstdCompressSync(tarOf(long));
      return [frame, frame];
    },
  };
  for (const [what, make] of Object.entries(FRAMES)) {
    test(what, async () => {
      const file = join(scratch, "frames.tar.zst");
      writeFileSync(file, Buffer.concat(make()));
      await refusedAs(file);
      await expect(imported(file)).rejects.toThrow(/more than one|follows its end/);
    });
  }

  for (const part of [0.1, 0.5, 0.9]) {
    test(`a file cut at ${part * 100} %`, async () => {
      const file = join(scratch, "cut.tar.zst");
      const bytes = readFileSync(good);
      writeFileSync(file, bytes);
      truncateSync(file, Math.floor(bytes.length * part));
      await refusedAs(file);
    });
  }

  for (const lost of [1, 3, 4, 5, 8, 20]) {
    test(`a file without its last ${lost} bytes`, async () => {
      const file = join(scratch, "short.tar.zst");
      const bytes = readFileSync(good);
      writeFileSync(file, bytes.subarray(0, bytes.length - lost));
      await refusedAs(file);
    });
  }

  for (const [what, bytes] of [
    ["an empty file", Buffer.alloc(0)],
    ["a text", Buffer.from("hello")],
    ["a gzip file", Buffer.from("1f8b0800000000000003", "hex")],
  ] as const) {
    test(what, async () => {
      const file = join(scratch, "other.tar.zst");
      writeFileSync(file, bytes);
      await refusedAs(file);
    });
  }

  test("a missing file, a directory", async () => {
    await refusedAs(join(scratch, "none.tar.zst"));
    await refusedAs(scratch);
  });

  test("S7: a decompression bomb is stopped early", async () => {
    const file = join(scratch, "bomb.tar.zst");
    writeFileSync(file, await bomb(600 << 20));
    const before = process.memoryUsage.rss();
    await refusedAs(file);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 << 20);
  });

  test("a window that would take all memory", async () => {
    const file = join(scratch, "window.tar.zst");
    const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 };
    writeFileSync(file, await compressed([Buffer.alloc(1 << 20, 1)], params));
    await refusedAs(file);
  });
});

/** A member that claims to be a manifest and continues for that many zero bytes. */
async function bomb(size: number): Promise<Buffer> {
  const parts = [
    createHeader("manifest.json", size),
    ...Array.from({ length: size >> 20 }, () => Buffer.alloc(1 << 20)),
  ];
  return compressed(parts, {});
}

async function compressed(parts: readonly Buffer[], params: Record<number, number>): Promise<Buffer> {
  const stream = createZstdCompress({ params });
  const out: Buffer[] = [];
  stream.on("data", (part: Buffer) => out.push(part));
  const ended = new Promise((resolve) => stream.on("end", resolve));
  for (const part of parts) if (!stream.write(part)) await new Promise((resolve) => stream.once("drain", resolve));
  stream.end();
  await ended;
  return Buffer.concat(out);
}

describe("C2: an import that dies at any step leaves the old index or the new one, complete:", () => {
  const steps = ["reset", "put", "publish", "commit", "checkpoint", "swap"];
  for (const step of steps.flatMap((name) => [`${name}:before`, `${name}:after`])) {
    test(step, async () => {
      const place = `dies-${step.replace(":", "-")}`;
      let armed = false;
      const dying = await openStore(place, (at) => {
        if (armed && at === step) throw new Error("died here");
      });
      await publishFiles(dying, [HERE]);
      armed = true;
      await expect(imported(good, dying)).rejects.toThrow();
      armed = false;
      await dying.close();
      const after = await openStore(place);
      const expected = step === "swap:after" ? ["src/a.rs", "src/b.go"] : [HERE.path];
      expect(await pathsOf(after)).toEqual(expected);
      expect(await after.verify("full")).toEqual([]);
      await imported(good, after);
      expect(await pathsOf(after)).toEqual(["src/a.rs", "src/b.go"]);
      await after.close();
    });
  }
});

describe("a valid archive", () => {
  /** zstd ends with a checksum that is not needed to read the content, and Node ignores every byte after it. */
  test("is accepted, and nothing else: a flipped byte is rejected or changes nothing", async () => {
    const bytes = readFileSync(good);
    const [file, back] = [join(scratch, "flipped.tar.zst"), join(scratch, "flipped-back.tar.zst")];
    let taken = 0;
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 60)) {
      const spoilt = Buffer.from(bytes);
      spoilt[at] = spoilt[at]! ^ 0x55;
      writeFileSync(file, spoilt);
      const outcome = await imported(file).then(
        () => "taken",
        (error: { code: string }) => error.code,
      );
      if (outcome === "invalid_input") continue;
      expect(outcome).toBe("taken");
      taken++;
      await exported(target, back);
      expect(readFileSync(back)).toEqual(bytes);
    }
    expect(taken).toBeLessThan(5);
  });

  test("has the same bytes whenever it is written", async () => {
    const source = await openStore("source");
    const again = join(scratch, "again.tar.zst");
    await exported(source, again);
    expect(readFileSync(again)).toEqual(readFileSync(good));
    await source.close();
    expect(readdirSync(scratch).filter((name) => name.includes(".tmp") || name.startsWith("."))).toEqual([]);
  });

  test("is a tar of three files to other programs", () => {
    expect(members().map(({ name }) => name)).toEqual(["manifest.json", "views.jsonl", "files.bin"]);
  });

  test("replaces the index, and exports the same archive again", async () => {
    await imported(good);
    expect(await pathsOf(target)).toEqual(["src/a.rs", "src/b.go"]);
    expect(await pathsOf(target, "feat/x")).toEqual(["src/b.go"]);
    expect(await target.verify("full")).toEqual([]);
    const back = join(scratch, "back.tar.zst");
    await exported(target, back);
    expect(readFileSync(back)).toEqual(readFileSync(good));
  });
});

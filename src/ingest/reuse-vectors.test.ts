import { expect, test } from "vitest";
import { inlineParsers } from "../../test/kit/inline-parsers.ts";
import { PLAIN_SETTINGS } from "../../test/kit/settings.ts";
import { diskFiles } from "../adapters/disk/files.ts";
import { openBuiltIn } from "../adapters/embedders/built-in.ts";
import type { ProjectId } from "../model/ids.ts";
import type { EarlierVersion, StoredFile } from "../ports/versions.ts";

const encoder = openBuiltIn();
let encoded = 0;
const counting: typeof encoder = {
  ...encoder,
  encode: (passages) => {
    encoded += passages.length;
    return encoder.encode(passages);
  },
};
const parsers = await inlineParsers(diskFiles(), counting);

/** Long functions: each is a chunk of its own. */
function source(names: readonly string[]): string {
  const body = Array.from({ length: 12 }, (_, i) => `    let value_${i} = read_the_configuration(${i} + delta);`).join(
    "\n",
  );
  return names.map((name) => `fn ${name}(delta: u32) {\n${body}\n    keep("${name.toUpperCase()}");\n}\n`).join("\n");
}

async function read(text: string, earlier?: EarlierVersion): Promise<StoredFile> {
  encoded = 0;
  const bytes = new TextEncoder().encode(text);
  const task = { path: "src/a.rs", size: bytes.length, bytes, ...(earlier && { earlier }) };
  const known = async () => new Set<string>();
  const of = { root: "/", project: "p" as ProjectId, settings: PLAIN_SETTINGS };
  const { batches } = await parsers.read({ ...of, tasks: [task], known, signal: new AbortController().signal });
  return batches[0]!.files[0]!;
}

const earlierOf = ({ text, record, vectors }: StoredFile): EarlierVersion => ({
  text,
  record,
  vectors: vectors!,
  model: encoder.model.fingerprint.slice(0, 16),
});

const names = ["alpha", "beta", "gamma", "delta_of", "epsilon", "zeta"];
const first = await read(source(names));
const all = encoded;

const check = (what: string, now: readonly string[], most: number, change: Partial<EarlierVersion> = {}) =>
  test(what, async () => {
    const afresh = await read(source(now));
    const { vectors } = await read(source(now), { ...earlierOf(first), ...change });
    expect(vectors).toEqual(afresh.vectors);
    expect(encoded).toBe(most);
  });

test("each function is a chunk", () => expect(all).toBe(names.length));
check("nothing is embedded where all passages were", names, 0);
check("a changed function", ["alpha", "beta", "other", "delta_of", "epsilon", "zeta"], 1);
check("functions that moved", ["zeta", "alpha", "gamma", "beta", "epsilon", "delta_of"], 0);
check("one that is new at the start", ["fresh", ...names], 1);
check("vectors of another model", names, all, { model: "f".repeat(16) });
check("vectors of fewer chunks", names, all, { vectors: (await read(source(names.slice(1)))).vectors! });
check("damaged text", names, all, { text: first.text.with(first.text.length - 1, 7) });
check("damaged vectors", names, all, { vectors: first.vectors!.with(40, first.vectors![40]! ^ 1) });

/**
 * A directory is swapped for a symlink that leads outside, and back, between any two calls of the file system that a
 * walk, a survey, a read or a stamp makes. Nothing depends on timing: each pair of moments is tried.
 */
import type * as NodeFs from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { files, tree } from "../../../test/kit/walk-paths.ts";

const system = vi.hoisted(() => ({ beforeCall: undefined as (() => void) | undefined }));

vi.mock("node:fs", async (importOriginal) => {
  const { interceptFileCalls } = await import("../../../test/kit/file-calls.ts");
  return interceptFileCalls(await importOriginal<typeof NodeFs>(), (args) => {
    system.beforeCall?.();
    return args;
  });
});
const fs = await vi.importActual<typeof NodeFs>("node:fs");

const CANARY = "canary";
const PLAIN = "def inside():\n    pass\n";
const OUTSIDE = `def ${CANARY}():\n    return "a text of another length"\n`;
/** All pairs take a minute; by default the link stays for a few calls, or for good. */
const LONGEST_STAY = process.env.CODECOMPASS_LONG ? Number.POSITIVE_INFINITY : 5;
/** Without these nothing but the portable check is left, which narrows the race and does not close it. */
const HAS_DESCRIPTOR_PATHS = process.platform === "linux" && fs.existsSync("/proc/self/fd");

interface Swap {
  readonly toOutside: () => void;
  readonly back: () => void;
}

let root = "";
let memory = "";
let swaps: Swap[] = [];

beforeEach(() => {
  root = tree({ "a.py": PLAIN, "d/y.py": PLAIN, "d/e/x.py": PLAIN, "d/e/.gitignore": "none\n" });
  const same = { "y.py": OUTSIDE, "x.py": OUTSIDE, "e/x.py": OUTSIDE, ".gitignore": "a.py\ny.py\nx.py\n" };
  const outside = tree({ ...same, "canary.py": OUTSIDE, "e/canary.py": OUTSIDE, "e/.gitignore": "x.py\n" });
  memory = tree({});
  // Old enough for a survey to rely on its memory, and for a read not to wait until a write is over.
  for (const place of [root, outside]) age(place);
  swaps = ["d", "d/e"].map((name) => swapOf(`${root}/${name}`, tree({}), outside));
});

afterEach(() => {
  system.beforeCall = undefined;
  vi.useRealTimers();
});

function age(directory: string): void {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) age(`${directory}/${entry.name}`);
    fs.utimesSync(`${directory}/${entry.name}`, 1_600_000_000, 1_600_000_000);
  }
}

function swapOf(directory: string, beside: string, outside: string): Swap {
  fs.symlinkSync(outside, `${beside}/link`);
  return {
    toOutside() {
      fs.renameSync(directory, `${beside}/directory`);
      fs.renameSync(`${beside}/link`, directory);
    },
    back() {
      fs.renameSync(directory, `${beside}/link`);
      fs.renameSync(`${beside}/directory`, directory);
    },
  };
}

/** What is seen when the link is in place from the call `from` on, and gone again before the call `to`. */
async function withSwap(look: () => Promise<string[]>, swap: Swap, from: number, to: number) {
  let calls = 0;
  let isOut = false;
  const move = (out: boolean) => {
    if (out !== isOut) (out ? swap.toOutside : swap.back)();
    isOut = out;
  };
  system.beforeCall = () => {
    move(calls >= from && calls < to);
    calls++;
  };
  const seen = await look();
  system.beforeCall = undefined;
  move(false);
  return { seen, calls };
}

async function check(look: () => Promise<string[]>, prepare: () => Promise<unknown> = async () => {}): Promise<void> {
  await prepare();
  const { seen, calls } = await withSwap(look, swaps[0]!, Infinity, Infinity);
  expect(seen.join("\n")).toContain("d/e/x.py");
  expect(calls).toBeGreaterThan(0);
  for (const swap of swaps) {
    for (let from = 0; from < calls; from++) {
      const ends = Array.from({ length: Math.min(LONGEST_STAY, calls - from) }, (_, at) => from + 1 + at);
      for (const to of [...ends, Infinity]) {
        await prepare();
        const during = await withSwap(look, swap, from, to);
        const leaked = during.seen.filter((line) => line.includes(CANARY) || line.includes(`${OUTSIDE.length}:`));
        expect({ from, to, leaked }).toEqual({ from, to, leaked: [] });
        // The ignore files outside would leave out what the workspace has.
        expect(during.seen.filter((line) => line.endsWith("ignored"))).toEqual([]);
      }
    }
  }
  expect((await withSwap(look, swaps[0]!, Infinity, Infinity)).seen).toEqual(seen);
}

async function walked(options: object): Promise<string[]> {
  const seen: string[] = [];
  for await (const batch of files.walk(root, options))
    for (const item of batch)
      seen.push("file" in item ? `${item.file.path} ${item.file.stamp}` : `${item.skip.path} ${item.skip.reason}`);
  return seen;
}

const pinned = test.skipIf(!HAS_DESCRIPTOR_PATHS);

pinned("a walk", () => check(() => walked({})));

pinned("a walk of some paths", () => check(() => walked({ only: ["d/e/x.py", "d/y.py", "d/canary.py"] })));

pinned("a survey by a memory, which says what differs from the index", async () => {
  // Directories that were touched a moment ago are not remembered.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const remember = () => walked({ memory });
  const survey = async () => {
    const seen: string[] = [];
    // Stamps are compared and go nowhere.
    await files.survey(root, { memory, expectedFiles: 3 }, (path) => seen.push(path));
    return seen;
  };
  await check(survey, remember);
});

pinned("a read", () =>
  check(async () => {
    const result = await files.read(root, "d/e/x.py", 1 << 20);
    return [`d/e/x.py ${result.ok ? Buffer.from(result.bytes).toString() : result.reason}`];
  }),
);

pinned("a stamp", () => check(async () => [`d/e/x.py ${await files.stamp(root, "d/e/x.py")}`]));

import { expect, test } from "vitest";
import type { MultiRepoGrepRequest } from "../../model/multi-repository.ts";
import type { Catalog } from "../../ports/catalog.ts";
import type { Scanner } from "../../ports/scanner.ts";
import type { Project } from "../compass.ts";
import { FanOut } from "./fan-out.ts";
import { wideReading } from "./reading.ts";
import type { WorkspaceSelection } from "./workspace-selection.ts";

const NAMES = ["h/a", "h/b", "h/c"];
const ASK = { pattern: "word", limit: 50 } as MultiRepoGrepRequest;

/** Time is up before anything was found. */
function late(all: WorkspaceSelection["all"]) {
  const stop = AbortSignal.abort();
  const catalog = {
    missing: () => [],
    skipped: async () => [],
    holding: async () => {
      throw stop.reason;
    },
  } as unknown as Catalog;
  const fan = new FanOut({
    selected: NAMES.length,
    read: () => Promise.reject(new Error("nobody is opened")),
    options: { policy: "balanced" },
    stop,
  });
  const selection = { count: NAMES.length, all, named: async () => [], shared: {} };
  const scanner = {} as Scanner;
  const grace = () => new AbortController().signal;
  return wideReading({ selection, fan, catalog, scanner, ref: undefined, stop, grace });
}

test("a pattern that ran out of time names the repositories that were not looked at", async () => {
  const reading = late(async () => NAMES.map((root) => ({ root }) as Project));
  expect(await reading.grepMany(ASK)).toMatchObject({ hits: [], complete: false, exact: false });
  expect(reading.report()).toMatchObject({ selected: 3, searched: 0, late: NAMES });
});

test("a store that does not even tell its names is late as a whole", async () => {
  const reading = late(async ({ signal } = {}) => {
    expect(signal).toBeInstanceOf(AbortSignal);
    throw new Error("no word from it");
  });
  expect(await reading.grepMany(ASK)).toMatchObject({ complete: false });
  expect(reading.report().late).toEqual(["all"]);
});

import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/kit/longest-first.ts";

/** Acceptance cases over real processes, conformance, laws and every store: minutes, and a part needs PostgreSQL. */
const STORES = ["src/adapters/postgres/**/*.test.ts", "test/{cases,conformance,differential,laws,stores}/**/*.test.ts"];
/** Kills, full disks, hostile input, load and other systems. Here every file has modules of its own, which it may replace. */
const FAULTS = [
  "test/faults/**/*.test.ts",
  "src/adapters/disk/{confined-open,directory-swaps,ignored-case}.test.ts",
  "src/cli/install/windows.test.ts",
];

/**
 * Its files share the workers' processes and the modules that these have loaded, in which Node runs the sources as they are.
 * That halves the work of the unit tests. Tests that replace modules belong into another tier.
 */
const SHARED = { isolate: false, experimental: { viteModuleRunner: false } } as const;

/** They start processes, which a busy machine makes wait. */
const PATIENT = { testTimeout: 240_000, hookTimeout: 240_000 } as const;

export default defineConfig({
  test: {
    globalSetup: "./test/kit/build.ts",
    reporters: ["default", "./test/kit/closing-line.ts"],
    // Two cores: while one test waits for its processes, two others work.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { ...SHARED, name: "fast", include: ["{src,test}/**/*.test.ts"], exclude: [...STORES, ...FAULTS] },
      },
      { extends: true, test: { ...PATIENT, name: "stores", include: STORES } },
      { extends: true, test: { ...PATIENT, name: "faults", include: FAULTS } },
    ],
  },
});

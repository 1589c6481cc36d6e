import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/kit/longest-first.ts";

/** Everything that runs against several stores or compares engines: minutes, and most of it needs PostgreSQL. */
const STORES = [
  "src/adapters/postgres/**/*.test.ts",
  "test/{differential,laws,stores}/**/*.test.ts",
  "test/conformance/store*.test.ts",
];
/** Kills, full disks, hostile input and load. */
const FAULTS = ["test/faults/**/*.test.ts"];

export default defineConfig({
  test: {
    globalSetup: "./test/kit/build.ts",
    reporters: ["default", "./test/kit/closing-line.ts"],
    // The whole suite shares two cores with the worker threads that the tests themselves start.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "fast", include: ["{src,test}/**/*.test.ts"], exclude: [...STORES, ...FAULTS] } },
      { extends: true, test: { name: "stores", include: STORES } },
      { extends: true, test: { name: "faults", include: FAULTS } },
    ],
  },
});

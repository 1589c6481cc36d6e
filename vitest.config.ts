import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/kit/longest-first.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: "./test/kit/build.ts",
    reporters: ["default", "./test/kit/closing-line.ts"],
    // The whole suite shares two cores with the worker threads that the tests themselves start.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

/** Orders the test files by duration, longest first, so that no worker is left alone with a long one at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files above twenty seconds on two cores, waiting ones next to busy ones. A fresh clone has no timings of an earlier run. */
const LONG: readonly string[] = [
  ...[
    "faults/concurrent-clients",
    "faults/http-load",
    "faults/watching",
    "faults/kill",
    "faults/failpoints",
    "laws/views",
    "faults/fault-kinds",
  ],
  ...[
    "faults/parser-bombs",
    "faults/postgres-failpoints",
    "faults/resume",
    "cases/refs",
    "faults/deleted-files",
    "cases/state",
  ],
  ...["contract/fuzz", "faults/http-hostile", "cases/search-flags", "contract/cli"],
  ...["cases/workspaces", "faults/evil-patterns", "differential/engines", "faults/principals", "gate/gate"],
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    return others.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const at = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return at < 0 ? LONG.length : at;
}

/**
 * Compiles a kernel with V8's optimising compiler at once. `baseline-wasm.ts` switches tiering up off for the whole
 * process, after which a module stays at the baseline compiler: 2.2 ms for 50,000 vectors instead of 0.9.
 */
import { setFlagsFromString } from "node:v8";
import type { Optimising } from "../embed/assembly.ts";
import { createKernel, type Kernel } from "../embed/kernel.ts";

export function optimisedKernel(): Kernel {
  return createKernel(optimising);
}

export const optimising: Optimising = (work) => {
  setFlagsFromString("--no-liftoff");
  try {
    return work();
  } finally {
    setFlagsFromString("--liftoff");
  }
};

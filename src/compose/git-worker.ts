/** A thread that starts git's processes and returns their output. */
import { runHere } from "../adapters/git/command.ts";
import { serveParent } from "./worker-server.ts";

export interface GitApi {
  /** Undefined: git refused, or is not installed. */
  run(args: readonly string[]): Uint8Array | undefined;
}

serveParent<undefined, GitApi>(() => ({ handlers: { run: (_, args) => runHere(args) } }));

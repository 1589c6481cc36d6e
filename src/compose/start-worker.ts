/** Starts the module that a thread runs: Node keeps compiled code per thread, and does so only for what is imported later. */
import { enableCompileCache } from "node:module";

enableCompileCache();
await import(process.argv[2]!);

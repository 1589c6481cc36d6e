/** One survey of one tree; the thread ends with it. */
import { parentPort, workerData } from "node:worker_threads";
import { diskFiles } from "../adapters/disk/files.ts";
import type { SurveyOptions } from "../ports/files.ts";
import type { Surveyed } from "./survey.ts";

const { root, options } = workerData as { readonly root: string; readonly options: SurveyOptions };
const paths: string[] = [];
const stamps: string[] = [];
await diskFiles().survey(root, options, (path, stamp) => {
  paths.push(path);
  stamps.push(stamp);
});
const surveyed: Surveyed = { paths, stamps };
parentPort!.postMessage(surveyed);

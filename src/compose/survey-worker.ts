/** A thread that lists the files of one tree with their stamps. */
import { diskFiles } from "../adapters/disk/files.ts";
import type { SurveyOptions } from "../ports/files.ts";
import { serveParent } from "./worker-server.ts";

export interface SurveyApi {
  survey(root: string, options: SurveyOptions): SurveyedFiles;
}

export interface SurveyedFiles {
  readonly paths: readonly string[];
  readonly stamps: readonly string[];
}

serveParent<undefined, SurveyApi>(() => ({
  handlers: {
    survey: async (_, root, options) => {
      const paths: string[] = [];
      const stamps: string[] = [];
      await diskFiles().survey(root, options, (path, stamp) => {
        paths.push(path);
        stamps.push(stamp);
      });
      return { paths, stamps };
    },
  },
}));

/** Lines of several workspaces that match a pattern, each asked by itself: in the order of workspaces, paths and lines. */
import { type GrepAnswer, sumNotSearched } from "../../model/grep.ts";
import type { MultiRepoGrepAnswer, MultiRepoGrepRequest } from "../../model/multi-repository.ts";
import type { Project } from "../compass.ts";
import type { FanOut } from "./fan-out.ts";
import type { Part } from "./merge-answers.ts";

/** Workspaces before the place have been shown: only what is behind it is asked. */
export async function searchEachWorkspace(
  ask: MultiRepoGrepRequest,
  projects: readonly Project[],
  fan: FanOut,
): Promise<MultiRepoGrepAnswer> {
  const { from } = ask;
  const behind = from === undefined ? projects : projects.filter(({ root }) => root >= from.workspace);
  const skipIn = (root: string) => (root === from?.workspace ? from.skip : 0);
  const parts = await fan.ask(behind, (reading) => reading.grep({ ...ask, offset: skipIn(reading.project.root) }));
  const hits = parts.flatMap((part) => hitsOf(part, skipIn(part.workspace))).slice(0, ask.limit);
  const answers = parts.map(({ answer }) => answer);
  return {
    hits,
    counted: parts.reduce((sum, { workspace, answer }) => sum + Math.max(0, answer.total - skipIn(workspace)), 0),
    exact: parts.length === behind.length,
    more: false,
    filesMatched: answers.reduce((sum, { files }) => sum + files.length, 0),
    filesSearched: answers.reduce((sum, { filesSearched }) => sum + filesSearched, 0),
    notSearched: sumNotSearched(answers.flatMap(({ notSearched }) => notSearched)),
    complete: answers.every(({ complete }) => complete),
  };
}

function hitsOf({ workspace, answer }: Part<GrepAnswer>, skipped: number): MultiRepoGrepAnswer["hits"] {
  return answer.hits.map((hit, at) => ({ ...hit, workspace, behind: { workspace, skip: skipped + at + 1 } }));
}

/** Matching lines of several workspaces: a page that goes on at a place, and a total as far as it was counted. */
import type { MultiRepoReading, Reading } from "../../compass/compass.ts";
import { notSearchedWarnings } from "../../model/grep.ts";
import type { GrepPosition, MultiRepoGrepAnswer, MultiRepoGrepRequest } from "../../model/multi-repository.ts";
import type { DraftAnswer } from "../define.ts";
import { openMultiRepoPage } from "./cursor.ts";
import { grepResult, type SnippetShape } from "./grep-hit.ts";

export interface MultiRepoGrepCall {
  readonly ask: Omit<MultiRepoGrepRequest, "from" | "limit">;
  readonly shape: SnippetShape;
  readonly input: {
    readonly pattern: string;
    readonly cursor?: string | undefined;
    readonly page_size?: number | undefined;
    readonly ref?: string | undefined;
    readonly workspace?: string | undefined;
    readonly path?: string | undefined;
  };
  readonly reading: MultiRepoReading;
}

export function isMultiRepo(reading: Reading): reading is MultiRepoReading {
  return "grepMany" in reading;
}

/** Who sent a longer pattern has it. */
const MAX_ECHOED_PATTERN = 200;

export async function answerMultiRepoGrep({ ask, shape, input, reading }: MultiRepoGrepCall): Promise<DraftAnswer> {
  const { before: _, after: __, ...asked } = ask;
  const question = ["regex_search", asked, input.workspace, input.ref];
  const page = openMultiRepoPage({ cursor: input.cursor, pageSize: input.page_size, question });
  const lines = await reading.grepMany({ ...ask, limit: page.size, ...(page.from && { from: page.from }) });
  const results = lines.hits.map((hit) => grepResult(hit, shape));
  const total = page.before + lines.counted;
  const paginated = (kept: number) => page.pagination(total, kept, positionAfter(lines, kept, page.from));
  const echoed = input.pattern.length <= MAX_ECHOED_PATTERN ? { pattern: input.pattern } : {};
  const { workspace, path, ref } = input;
  return {
    body: {},
    metadata: {
      total_results: total,
      ...(!lines.exact && { total_is_exact: false }),
      search_mode: "regex",
      files_matched: lines.filesMatched,
      ...(lines.filesSearched !== undefined && { files_searched: lines.filesSearched }),
    },
    warnings: [...page.warnings, ...multiRepoWarnings(lines)],
    completeness: lines.complete && lines.notSearched.length === 0 ? "complete" : "partial",
    needsSymbols: false,
    list: {
      length: results.length,
      show: (kept) => ({ body: { results: results.slice(0, kept), pagination: paginated(kept) } }),
      continuation: (kept) => [
        {
          tool: "regex_search",
          ...echoed,
          ...(path !== undefined && { path }),
          ...(ref !== undefined && { ref }),
          workspace,
          cursor: paginated(kept).next_cursor,
        },
      ],
      suggestion: "Go on with next_cursor, or ask with less context, a path or a narrower pattern.",
    },
  };
}

const BEGINNING: GrepPosition = { workspace: "", skip: 0 };

/** There is a next page where lines of this one were cut, were counted behind it, or may be there uncounted. */
function positionAfter(
  { hits, counted, more }: MultiRepoGrepAnswer,
  kept: number,
  from = BEGINNING,
): GrepPosition | undefined {
  if (kept >= counted && !(more && kept > 0)) return undefined;
  return hits[kept - 1]?.behind ?? from;
}

function multiRepoWarnings({ complete, notSearched }: MultiRepoGrepAnswer): string[] {
  return [
    ...(complete
      ? []
      : ["The pattern asks for too much work on this code, or for too much time; lines may be missing."]),
    ...notSearchedWarnings(notSearched),
  ];
}

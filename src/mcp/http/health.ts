/** `GET /health`: the same facts as `health_check`, in S3's shape, for load balancers and people. */
import type { CallContext, Fields } from "../../tools/define.ts";
import { findTool } from "../../tools/index.ts";
import { runTool } from "../../tools/run.ts";

/** `showPaths`: false for callers who did not show a token that others have to show. */
export async function healthBody(context: () => Promise<CallContext>, showPaths: boolean): Promise<Fields> {
  const reply = await runTool(findTool("health_check")!, {}, context);
  if (reply.isError) return { status: "error", ...(showPaths && { error: reply.body.error }) };
  const { readiness, projects, version, uptime_seconds, workspace_warmset, active_connections } = reply.body;
  const rows = projects as readonly Fields[];
  const warmset = workspace_warmset as Fields;
  return {
    status: readiness,
    projects: showPaths ? rows : rows.map(({ repo_root: _, ...rest }) => rest),
    version,
    uptime_seconds,
    active_connections,
    workspace_warmset: showPaths ? warmset : { ...warmset, members: [] },
  };
}

/** `GET /health`: the same facts as `health_check`, in S3's shape, for load balancers and people. */
import type { CallContext, Fields } from "../../tools/define.ts";
import { findTool } from "../../tools/index.ts";
import { runTool } from "../../tools/run.ts";

interface HealthResponse {
  /** 503 if the server cannot answer at all, for example without its database, so that a load balancer uses another one. */
  readonly status: 200 | 503;
  readonly body: Fields;
  /** Why nothing can be answered, in words for the log. */
  readonly trouble?: string;
}

/** `showPaths`: false for callers without the required token. */
export async function healthAnswer(context: () => Promise<CallContext>, showPaths: boolean): Promise<HealthResponse> {
  const reply = await runTool(findTool("health_check")!, {}, context);
  if (reply.isError) {
    const error = reply.body.error as Fields;
    return { status: 503, body: { status: "error", ...(showPaths && { error }) }, trouble: String(error.message) };
  }
  return { status: 200, body: healthBody(reply.body, showPaths) };
}

function healthBody(body: Fields, showPaths: boolean): Fields {
  const { readiness, projects, version, uptime_seconds, workspace_warmset, active_connections, store } = body;
  const rows = projects as readonly Fields[];
  const warmset = workspace_warmset as Fields;
  return {
    status: readiness,
    projects: showPaths ? rows : rows.map(({ repo_root: _, ...rest }) => rest),
    version,
    uptime_seconds,
    active_connections,
    ...(store !== undefined && { can_read: true, can_write: (store as Fields).can_write }),
    workspace_warmset: showPaths ? warmset : { ...warmset, members: [] },
  };
}

/** A server on an indexed tree that all tests of a file share; both are removed after them. */
import { afterAll } from "vitest";
import { type Sandbox, sandbox } from "./sandbox.ts";
import { type StdioServer, startServer } from "./stdio.ts";

interface ServedTree {
  readonly box: Sandbox;
  readonly root: string;
  readonly server: StdioServer;
}

/** `prepare` makes the tree. An index that is not published is an error. */
export async function serveTree(prepare: (box: Sandbox) => string): Promise<ServedTree> {
  const box = sandbox();
  const root = prepare(box);
  const server = startServer(["--workspace", root], box.env);
  afterAll(async () => {
    await server.close();
    box[Symbol.dispose]();
  });
  await server.initialize();
  const job = await server.tool("index_repo", { wait_seconds: 60 });
  if (job.status !== "published") throw new Error(`the tree was not indexed: ${JSON.stringify(job)}`);
  return { box, root, server };
}

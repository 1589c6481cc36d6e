/** What everybody calls a repository: where it was cloned from, however that was spelt. Read without git. */
import { join } from "node:path";
import { read } from "./locate.ts";

/** `host/owner/name` of the remote `origin`; undefined where there is none, or where it lies on this machine. */
export function remoteName(commonDir: string): string | undefined {
  const section = /^\s*\[\s*remote\s+"origin"\s*\]([^[]*)/im.exec(read(join(commonDir, "config")) ?? "")?.[1] ?? "";
  const url = /^\s*url\s*=\s*"?([^"\r\n]+?)"?\s*$/im.exec(section)?.[1];
  return url === undefined ? undefined : nameOfUrl(url);
}

/** Without scheme, user, password, port and `.git`; the host in lower case. */
export function nameOfUrl(url: string): string | undefined {
  const parts = WITH_SCHEME.exec(url)?.groups ?? AS_SSH_SPELLS_IT.exec(url)?.groups;
  const path = parts?.path?.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "") ?? "";
  return path === "" ? undefined : `${parts!.host!.toLowerCase()}/${path}`;
}

const WITH_SCHEME = /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?(?<host>[^/:]+)(?::\d+)?\/(?<path>.+)$/i;
/** A single letter before the colon is a drive. */
const AS_SSH_SPELLS_IT = /^(?:[^@/:]+@(?=[^/:]+:)|(?=[^/:]{2,}:))(?<host>[^/:@]+):(?!\/\/)(?<path>.+)$/;

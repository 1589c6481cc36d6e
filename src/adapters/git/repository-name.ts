/** What everybody calls a repository: where it was cloned from, however that was spelt. Read without git. */
import { readConfig } from "./locate.ts";

/** No server accepts a longer one. */
const LONGEST_URL = 4_096;

/** `host/owner/name` of the remote `origin`; undefined where there is none, or where it lies on this machine. */
export function remoteName(commonDir: string): string | undefined {
  const section = /^[ \t]*\[\s*remote\s+"origin"\s*\]([^[]*)/im.exec(readConfig(commonDir))?.[1] ?? "";
  const value = /^[ \t]*url[ \t]*=(.*)$/im.exec(section)?.[1]?.trim();
  const url = value?.replace(/^"|"$/g, "");
  return url && url.length <= LONGEST_URL ? nameOfUrl(url) : undefined;
}

/**
 * Without scheme, user, password, port, query, fragment and `.git`; the host in lower case. The name is shown to everybody
 * who may read the index, so what could be part of a credential makes the URL one without a name.
 */
export function nameOfUrl(url: string): string | undefined {
  const { host, path: whole } = WITH_SCHEME.exec(url)?.groups ?? AS_SSH_SPELLS_IT.exec(url)?.groups ?? {};
  const path = whole
    ?.replace(AFTER_PATH, "")
    .replace(/^\/+|[\s/]+$/g, "")
    .replace(/\.git$/, "");
  if (host === undefined || !path || BEFORE_AT.test(path)) return undefined;
  return `${host.toLowerCase()}/${path}`;
}

/** A user and password go up to the last `@` before the first slash: people forget to escape the one in a password. */
const WITH_SCHEME = /^(?:https?|ssh|git):\/\/(?:[^/]*@)?(?<host>[^/:@?#;%\s]+)(?::\d+)?\/(?<path>.+)$/i;
/** A single letter before the colon is a drive, two colons follow the name of a remote helper. */
const AS_SSH_SPELLS_IT =
  /^(?![\w+.-]+::)(?:[^/]*@(?=[^/:@]+:)|(?=[^/:@]{2,}:))(?<host>[^/:@?#;%\s]+):(?!\/\/)(?<path>.+)$/;
/** Query, fragment and parameters: `?private_token=`, also where they were escaped. */
const AFTER_PATH = /(?:[?#;]|%3f|%23|%3b).*$/i;
/** `token@host` inside a path; `@scope` at the start of a part is none. */
const BEFORE_AT = /[^/](?:@|%40)/i;

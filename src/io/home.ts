/** The user's home directory. */
import { homedir, userInfo } from "node:os";

/**
 * An empty HOME counts as none: Node answers it with the current directory, which may be a repository. A user that the
 * system does not know, as in some containers, has the root, as in Docker: writing there fails with a clear error.
 */
export function userHome(): string {
  try {
    return homedir() || userInfo().homedir || "/";
  } catch {
    return "/";
  }
}

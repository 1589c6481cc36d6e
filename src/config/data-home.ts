/** Where indexes and the user's configuration live. On its own, since a warm command lives for 100 ms and reads no configuration. */
import { join, resolve } from "node:path";
import { userHome } from "../io/home.ts";

export function dataHome(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env.CODECOMPASS_HOME || join(userHome(), ".codecompass"));
}

/** The flags of `install` and `uninstall`. Apart from the rest, since every command line loads them. */
import type { Flag } from "../command.ts";
import { CLIENTS } from "./clients.ts";

export const CLIENT_FLAGS: readonly Flag[] = [
  { flags: "--client <client>", doc: "which client", choices: CLIENTS.map(({ id }) => id) },
  { flags: "--user", doc: "your own configuration (default)" },
  { flags: "--project", doc: "the project's: a file inside the repository, for everybody who works on it" },
];

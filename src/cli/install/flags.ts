/** The flags of `install` and `uninstall`. Apart from the rest, since every command line loads them. */
import type { CommandFlag } from "../command.ts";
import { CLIENTS } from "./clients.ts";

export const CLIENT_FLAGS: readonly CommandFlag[] = [
  { flags: "--client <client>", doc: "Client to configure", choices: CLIENTS.map(({ id }) => id) },
  { flags: "--user", doc: "Write the user configuration (default)" },
  {
    flags: "--project",
    doc: "Write the project configuration: a file inside the repository, shared with everyone who uses it",
  },
];

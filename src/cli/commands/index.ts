/** The commands that are not tools, in the order in which help lists them. */
import type { CommandSpec } from "../command.ts";
import { instructionsCommand as instructions, versionCommand as version } from "./about.ts";
import completion from "./completion.ts";
import daemon from "./daemon.ts";
import doctor from "./doctor.ts";
import evalCommand from "./eval.ts";
import hooks from "./hooks.ts";
import { indexCommand, syncCommand as sync } from "./indexing.ts";
import { installCommand as install, uninstallCommand as uninstall } from "./install.ts";
import migrate from "./migrate.ts";
import principals from "./principals.ts";
import pruneOverlays from "./prune-overlays.ts";
import review from "./review.ts";
import scip from "./scip.ts";
import search from "./search.ts";
import serveMcp from "./serve-mcp.ts";
import state from "./state.ts";
import ui from "./ui.ts";
import { initCommand as init, workspacesCommand as workspaces } from "./workspaces.ts";

export const COMMANDS: readonly CommandSpec[] = [
  search,
  init,
  indexCommand,
  sync,
  ui,
  daemon,
  doctor,
  evalCommand,
  review,
  workspaces,
  migrate,
  principals,
  state,
  scip,
  pruneOverlays,
  hooks,
  serveMcp,
  install,
  uninstall,
  instructions,
  completion,
  version,
];

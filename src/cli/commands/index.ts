/** The commands that are not tools, in the order in which help lists them. */
import type { CommandSpec } from "../command.ts";
import completion from "./completion.ts";
import doctor from "./doctor.ts";
import evalCommand from "./eval.ts";
import hooks from "./hooks.ts";
import indexCommand from "./index-tree.ts";
import init from "./init.ts";
import install from "./install.ts";
import instructions from "./instructions.ts";
import principals from "./principals.ts";
import pruneOverlays from "./prune-overlays.ts";
import search from "./search.ts";
import serveMcp from "./serve-mcp.ts";
import state from "./state.ts";
import sync from "./sync.ts";
import uninstall from "./uninstall.ts";
import version from "./version.ts";
import workspaces from "./workspaces.ts";

export const COMMANDS: readonly CommandSpec[] = [
  search,
  init,
  indexCommand,
  sync,
  doctor,
  evalCommand,
  workspaces,
  principals,
  state,
  pruneOverlays,
  hooks,
  serveMcp,
  install,
  uninstall,
  instructions,
  completion,
  version,
];

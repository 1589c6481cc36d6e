/** The library's public surface. `docs/library.md` documents it. */
export {
  type Answer,
  type Input,
  open,
  type ToolName,
  type ToolTypes,
  type WorkspaceHandle,
  type WorkspaceOptions,
} from "./library/open.ts";
export { CompassError, type ErrorCode } from "./model/errors.ts";

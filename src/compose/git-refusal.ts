/** Whether the version control reads a repository, for the checks of `doctor`. */
export { refusal as gitRefusal } from "../adapters/git/command.ts";

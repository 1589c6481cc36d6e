/** Markdown. Its outline are the headings; there is no grammar. */
import { defineLanguage, modulePath } from "../define.ts";
import { headings } from "./headings.ts";

export default defineLanguage({
  id: "markdown",
  title: "Markdown",
  aliases: ["md"],
  extensions: [".md", ".markdown", ".mdx", ".mkd"],
  read: headings,
  separator: ".",
  moduleOf: (path) => modulePath(path),
  methodOwners: [],
  visibility: () => ({}),
  // `**Run** it with [npx](https://…)` is called "Run it with npx".
  nameOf: (written) => written.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1").replace(/\*\*|`/g, ""),
  docMarkers: [],
});

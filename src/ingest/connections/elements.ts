/** Ids of HTML elements and names of custom elements, and the links, labels, selectors and tags that use them. */
import type { ConnectionFile } from "./connections.ts";

const MARKUP: ReadonlySet<string> = new Set([
  "html",
  "vue",
  "svelte",
  "astro",
  "tsx",
  "javascript",
  "typescript",
  "flow",
]);
const TEMPLATE =
  /\.(?:erb|[hl]?eex|blade\.php|cshtml|razor|jinja2?|j2|hbs|handlebars|ejs|twig|mustache|jsp|ftl|tmpl|gohtml|liquid)$/;
const ID = /[\s"']id=["']([A-Za-z][\w-]*)["']/g;
const USE =
  /[\s"'](?:href=["'](?:[\w./-]*)#([A-Za-z][\w-]*)["']|(?:for|htmlFor|form|list|aria-(?:labelledby|describedby|controls|owns|details))=["']([A-Za-z][\w-]*)["']|(?:hx-target|data-(?:bs-)?target)=["']#([A-Za-z][\w-]*)["'])|\bgetElementById\(\s*["'`]([A-Za-z][\w-]*)["'`]|(?:\bquerySelector(?:All)?|\$|\bclosest|\bmatches)\(\s*["'`]#([A-Za-z][\w-]*)/g;
const USE_WORDS = ["getElementById", "querySelector", "href=", 'or="', "aria-", "$(", "target="];
const CUSTOM = /\bcustomElements\.define\(\s*["'`]([a-z][\w.]*-[\w.-]*)["'`]\s*,\s*([A-Za-z_$][\w$]*)?/g;
const SELECTOR = /\bselector:\s*["'`]([a-z][\w]*-[\w-]*)["'`]/g;
const TAG = /<([a-z][a-z0-9]*-[a-z0-9-]*)(?=[\s/>])/g;

export function readElements(file: ConnectionFile): void {
  const { language, path, text } = file;
  if (!MARKUP.has(language) && !TEMPLATE.test(path)) return;
  const use = (at: number, key: string) => file.add(at, { side: "use", kind: "element", key });
  if (text.includes("id="))
    for (const it of text.matchAll(ID))
      file.addAlone(it.index + 1, { side: "definition", kind: "element", key: `#${it[1]}` });
  if (USE_WORDS.some((word) => text.includes(word)))
    for (const it of text.matchAll(USE)) use(it.index + 1, `#${it.slice(1).find((part) => part !== undefined)}`);
  if (text.includes("customElements.define"))
    for (const it of text.matchAll(CUSTOM)) {
      const at = it[2] === undefined ? undefined : it.index + it[0].length - it[2].length;
      file.add(it.index, {
        ...{ side: "definition", kind: "element", key: `<${it[1]}>` },
        ...(at !== undefined && { target: file.siteAt(at) }),
      });
    }
  if (text.includes("@Component"))
    for (const it of text.matchAll(SELECTOR)) {
      const symbol = file.symbolAfter(it.index, ({ kind }) => kind === "class");
      file.add(it.index, {
        ...{ side: "definition", kind: "element", key: `<${it[1]}>` },
        ...(symbol !== undefined && { target: { symbol } }),
      });
    }
  if (language !== "typescript") for (const it of text.matchAll(TAG)) use(it.index, `<${it[1]}>`);
}

/** Links, forms and htmx attributes of templates: uses of routes. */
import { routeKey } from "../../model/connections.ts";
import { literalText } from "./call.ts";
import type { ConnectionFile } from "./connections.ts";

const TEMPLATE_LANGUAGES: ReadonlySet<string> = new Set(["html", "vue", "svelte", "astro", "tsx", "javascript"]);
const TEMPLATE_PATH =
  /\.(?:erb|[hl]?eex|blade\.php|cshtml|razor|jinja2?|j2|hbs|handlebars|ejs|twig|mustache|jsp|ftl|tmpl|gohtml|liquid)$/;

const ATTRIBUTE =
  /[\s:](href|action|formaction|(?:data-)?hx-(?:get|post|put|patch|delete))\s*=\s*(?:"([^"\n]*)"|'([^'\n]*)'|\{\s*(`[^`\n]*`|'[^'\n]*'|"[^"\n]*")\s*\})/g;

export function readTemplates(file: ConnectionFile): void {
  const { text } = file;
  if (!TEMPLATE_LANGUAGES.has(file.language) && !TEMPLATE_PATH.test(file.path)) return;
  if (!text.includes("href=") && !text.includes("action=") && !text.includes("hx-")) return;
  for (const it of text.matchAll(ATTRIBUTE)) {
    const [, attribute, double, single, expression] = it;
    const written = expression === undefined ? (double ?? single!) : literalText(expression);
    const path = written && pathOf(written);
    if (!path) continue;
    const verb = /hx-(\w+)/.exec(attribute!)?.[1] ?? (attribute === "href" ? "get" : methodOfForm(text, it.index));
    file.add(it.index, { side: "use", kind: "route", key: routeKey(verb, path) });
  }
}

/** Expressions of the template become parameters; assets and other hosts are no routes of the application. */
function pathOf(written: string): string | undefined {
  const path = written.replace(/<%=?.*?%>|\{\{.*?\}\}|\{%.*?%\}|@\{[^}]*\}|\$\{[^}]*\}/g, "{}");
  if (!path.startsWith("/") || path.startsWith("//") || /[\s<>"'`]/.test(path)) return undefined;
  return /\.(?:css|m?js|png|jpe?g|gif|svg|ico|webp|woff2?|xml|json|pdf|txt|webmanifest)(?:[?#]|$)/.test(path)
    ? undefined
    : path;
}

/** Of the tag around an attribute. */
function methodOfForm(text: string, at: number): string {
  const start = text.lastIndexOf("<", at);
  const tag = text.slice(start, text.indexOf(">", at));
  return /\b(?:form)?method\s*=\s*["']?(\w+)/i.exec(tag)?.[1] ?? "get";
}

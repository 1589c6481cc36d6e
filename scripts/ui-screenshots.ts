/**
 * Takes the screenshots of docs/images from a running page of a checkout of flask:
 * `node scripts/ui-screenshots.ts "$(codecompass ui --no-open --path flask)"`, with the address that the command prints. `pngquant 128` makes
 * them a third as large.
 */
import { join } from "node:path";
import { chromium } from "playwright-core";

const VIEWS = {
  search: "/search?q=where+are+blueprints+registered",
  file: "/file?path=src%2Fflask%2Fapp.py&line=98&name=Flask",
  symbol: "/symbol?at=src%2Fflask%2Fapp.py%23finalize_request",
  compare: "/compare?base=3.1.2&head=3.1.3",
};
const SIZE = { width: 1000, height: 600 };

async function main([url = ""]: readonly string[]): Promise<void> {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(url);
  await page.getByText("Search this repository").waitFor();
  for (const [name, path] of Object.entries(VIEWS)) {
    await page.emulateMedia({ colorScheme: name === "file" ? "dark" : "light" });
    await page.goto(new URL(path, url).href);
    await page.waitForLoadState("networkidle");
    if (name === "symbol") await page.locator(".graph").scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(import.meta.dirname, `../docs/images/ui-${name}.png`) });
  }
  await browser.close();
}

await main(process.argv.slice(2));

/** The page for people (issue 39) in a real browser: every view, by keyboard, reloaded, and with hostile input. */
import { rmSync } from "node:fs";
import axe from "axe-core";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, openBrowser, startUi, type UiProcess, watchPage } from "../kit/browser.ts";
import { codecompass } from "../kit/command.ts";
import { startHttp } from "../kit/http.ts";
import { testDatabase } from "../kit/postgres.ts";
import { branch, commit, git, type Sandbox, sandbox, write } from "../kit/sandbox.ts";

/** A machine that runs many other things may take this long for one step: waits end with the state, never with the time. */
const STEP_MS = 180_000;
const TEST_MS = 4 * STEP_MS;

const APP = `"""Orders of the shop."""
from prices import total_price


class Order:
    def __init__(self, items):
        self.items = items

    def pay(self, account):
        return charge(account, total_price(self.items))


def checkout(order: Order, account):
    return order.pay(account)


def charge(account, amount):
    """Takes money from an account."""
    return account.withdraw(amount)
`;
const PRICES = `def total_price(items):
    return sum(item.price for item in items)
`;
const HOSTILE = `# <script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">
def withdraw_all(x): return "\u202e\u2066<b>bold</b>"
`;

const LONG_LINE = `longest = "${"x".repeat(20_000)}"\n${"behind = 1\n".repeat(2_000)}`;

/** Each test opens its own address of an index that was complete before: a slow one fails alone. */
describe.skipIf(!hasBrowser)("the page", { timeout: TEST_MS }, () => {
  let at: Sandbox;
  let root: string;
  let ui: UiProcess;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    at = sandbox();
    root = at.repository({
      "shop/app.py": APP,
      "shop/prices.py": PRICES,
      "tests/test_prices.py":
        "from shop.prices import total_price\n\n\ndef test_total():\n    assert total_price([]) == 0\n",
      "shop/<img src=x onerror=alert(1)>.py": HOSTILE,
      "shop/\u202egnp.py": "def reversed_name(): pass\n",
      "long.py": LONG_LINE,
      "huge.js": `const huge = "${"x".repeat(10_000_000)}";\n`,
      "many.txt": "needle in line\n".repeat(10_000),
      "big.py": Array.from({ length: 50_000 }, (_, i) => `# value_${i}`).join("\n"),
    });
    git(root, "tag", "v1");
    branch(root, "feature", () => write(root, { "shop/app.py": APP.replace("def charge", "def charge_card") }));
    const index = await codecompass(["index"], { cwd: root, env: at.env });
    expect(index.code, index.err).toBe(0);
    [ui, browser] = await Promise.all([startUi(root, at.env), openBrowser()]);
    context = await newContext();
    page = await context.newPage();
    complaints = watchPage(page, ui.origin);
    await page.goto(ui.url);
    await page.getByText("Search this repository").waitFor();
  }, TEST_MS);

  afterAll(async () => {
    await browser?.close();
    await ui?.stop();
    at?.[Symbol.dispose]();
  });

  async function newContext(): Promise<BrowserContext> {
    const made = await browser.newContext({ viewport: { width: 1200, height: 800 } });
    made.setDefaultTimeout(STEP_MS);
    return made;
  }

  /** Axe is run by the debugger, since the page's policy forbids other scripts. */
  async function violations(on: Page): Promise<string[]> {
    const session = await on.context().newCDPSession(on);
    const run = (expression: string) =>
      session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    await run(axe.source);
    const { result } = await run(
      "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))",
    );
    await session.detach();
    return result.value;
  }

  async function expectAccessible(on = page): Promise<void> {
    for (const colorScheme of ["dark", "light"] as const) {
      await on.emulateMedia({ colorScheme });
      expect(await violations(on)).toEqual([]);
    }
  }

  const goto = (path: string) => page.goto(ui.origin + path);

  test("offers to index a repository and shows the search when it is done", async () => {
    using fresh = sandbox();
    const own = await startUi(fresh.repository({ "shop/app.py": APP }), fresh.env);
    const visitor = await newContext();
    try {
      const offer = await visitor.newPage();
      await offer.goto(own.url);
      expect(offer.url()).not.toContain("token");
      await offer.getByText("is not indexed yet").waitFor();
      await offer.goto(`${own.origin}/file?path=shop%2Fapp.py`);
      await offer.getByText("is not indexed yet").waitFor();
      await offer.goto(own.origin);
      await expectAccessible(offer);
      await offer.getByRole("button", { name: "Index this repository" }).click();
      // A failed job says so at once.
      const outcome = offer.getByText("Search this repository").or(offer.getByRole("alert")).first();
      await outcome.waitFor();
      expect(await outcome.textContent(), own.stderr()).toContain("Search this repository");
      await expectAccessible(offer);
    } finally {
      await visitor.close();
      await own.stop();
    }
  });

  test("the address of a start works once, and calls need its cookie", async () => {
    const other = await newContext();
    const stranger = await other.newPage();
    await stranger.goto(ui.url);
    await stranger.getByText("This page needs a token").waitFor();
    await expectAccessible(stranger);
    await stranger.getByLabel("Token").fill("guessed");
    await stranger.getByRole("button", { name: "Open" }).click();
    await stranger.getByText("This token is not valid here").waitFor();
    await other.close();
    const call = (headers: Record<string, string>) =>
      fetch(`${ui.origin}/ui/call/page_workspaces`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: "{}",
      });
    const [cookie] = await context.cookies(`${ui.origin}/ui/call/x`);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    const own = { cookie: `${cookie!.name}=${cookie!.value}` };
    expect((await call(own)).status).toBe(200);
    expect((await call({})).status).toBe(401);
    expect((await call({ cookie: `${cookie!.name}=guessed` })).status).toBe(401);
    expect((await call({ ...own, origin: "http://localhost:1" })).status).toBe(403);
    expect((await call({ ...own, origin: "https://evil.example" })).status).toBe(403);
    expect((await call({ ...own, "content-type": "text/plain" })).status).toBe(415);
    // The cookie is no bearer token.
    expect((await fetch(ui.origin, { method: "POST", headers: own, body: "{}" })).status).toBe(401);
  });

  test("finds a function and opens it with the keyboard alone", async () => {
    await goto("/");
    await page.locator("#query:focus").waitFor();
    await page.keyboard.type("take money from an account");
    await page.waitForURL("**/search?q=take+money+from+an+account");
    await page.getByRole("link", { name: "app.py" }).first().waitFor();
    await page.locator("mark").getByText("money", { exact: true }).first().waitFor();
    await expectAccessible();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Source" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/file");
    await page.locator(".code:focus").waitFor();
    await page.getByRole("navigation", { name: "Outline" }).getByText("charge").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("query");
    await page.keyboard.press("Escape");
    await page.keyboard.press("c");
    await page.waitForURL("**/compare");
    await page.keyboard.press("i");
    await page.waitForURL("**/index");
    await page.getByText("Size on disk").waitFor();
    // Enter that comes before the answer opens its first result, not one of the question before.
    await goto("/search?q=sum+of+prices");
    await page.getByRole("link", { name: "prices.py" }).first().waitFor();
    await page.route("**/ui/call/search_code", async (route) => {
      await page.locator("#main .loading").waitFor();
      await route.continue();
    });
    await page.locator("#query").fill("take money from an account");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/file?**");
    await page.unroute("**/ui/call/search_code");
    expect(new URL(page.url()).searchParams.get("path")).toBe("shop/app.py");
    await page.keyboard.press("i");
    await page.waitForURL("**/index");
    // In a field they are letters.
    await page.keyboard.press("/");
    await page.keyboard.type("ci");
    await page.waitForURL("**/search?q=ci");
  });

  test("shows what a name means and where it is used", async () => {
    await goto("/file?path=shop%2Fapp.py&line=10");
    await page.locator(".row.on").getByText("total_price").click();
    const panel = page.getByRole("region", { name: "total_price" });
    await panel.getByRole("link", { name: "prices.py:1" }).waitFor();
    await panel.getByText("certain").first().waitFor();
    await expectAccessible();
    await page.reload();
    await panel.getByRole("link", { name: "prices.py:1" }).click();
    await page.getByRole("heading", { name: "prices.py" }).waitFor();
    await page.goBack();
    await panel.waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  });

  test("reads other refs, and says when one is gone", async () => {
    await goto("/file?path=shop%2Fapp.py");
    await page.getByRole("link", { name: "VS Code" }).waitFor();
    await page.getByLabel("Branch, tag or working tree").selectOption("feature");
    await page.getByRole("region", { name: "Source" }).getByText("charge_card").first().waitFor();
    expect(await page.getByRole("link", { name: "VS Code" }).count()).toBe(0);
    await page.reload();
    await page.getByRole("region", { name: "Source" }).getByText("charge_card").first().waitFor();
    git(root, "branch", "-D", "feature");
    await page.reload();
    await page.getByRole("alert").first().waitFor();
    await page.getByRole("button", { name: "Show the working tree instead" }).click();
    await page.getByRole("region", { name: "Source" }).getByText("charge", { exact: true }).first().waitFor();
    await goto("/file?path=shop%2Fapp.py&ref=v1");
    await page.getByRole("heading", { name: "v1 is not indexed yet" }).waitFor();
    await page.getByRole("button", { name: "Index v1" }).click();
    await page.getByRole("region", { name: "Source" }).waitFor();
  });

  test("loads 10,000 matches page by page", async () => {
    await goto("/search?mode=regex&q=needle&limit=20");
    await page.getByText(/100 of .*match/).waitFor();
    await page.getByRole("button", { name: "Show more results" }).click();
    await page.getByText(/[234]00 of .*match/).waitFor();
  });

  test("a key after many results asks one small question, and only results near the screen stay in the document", async () => {
    await goto("/search?mode=regex&q=needle");
    const shown = page.getByText(/ of 10,000 matches/);
    await shown.waitFor();
    for (let loaded = 100; loaded < 1_000; loaded = Number.parseInt((await shown.textContent())!.replace(",", ""), 10))
      await page.locator("main").evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await expect.poll(() => page.locator(".hit").count(), { timeout: STEP_MS }).toBeLessThan(600);
    const asked: (string | null)[] = [];
    const listen = (request: Request) => asked.push(request.postData());
    page.on("request", listen);
    await page.locator("#query").press("End");
    await page.keyboard.type("s? i");
    await page.waitForURL(/needles/);
    await page.getByText("100 of 10,000 matches", { exact: true }).waitFor();
    page.off("request", listen);
    // What the question before asked for when its end was in sight does not count.
    expect(asked.filter((body) => body?.includes("cursor") && !body.includes('"pattern":"needle"'))).toEqual([]);
    expect(await page.locator("main").evaluate((box) => box.scrollTop)).toBe(0);
    // The first ones are drawn at once, the others when the typing has paused.
    await page.locator(".hit").nth(99).waitFor();
    expect(await page.locator(".hit").count()).toBe(100);
    // Pages that were left are drawn again.
    await page.locator("[data-hit]").first().press("ArrowDown");
    expect(await page.evaluate("document.activeElement.textContent")).toContain(":2");
  });

  test("marks the whole match of a pattern across keywords and names", async () => {
    await goto(`/search?mode=regex&q=${encodeURIComponent("def (total|sum)_\\w+\\(items")}`);
    const line = page.locator(".excerpt code", { has: page.locator("mark") }).first();
    await line.waitFor();
    expect((await line.locator("mark").allTextContents()).join("")).toBe("def total_price(items");
    // Without a click: the arrow begins at the first result.
    await page.locator("#main").press("ArrowDown");
    expect(await page.evaluate("document.activeElement.hasAttribute('data-hit')")).toBe(true);
  });

  test("narrows a search with the mouse", async () => {
    await goto("/search?mode=regex&q=longest|needle");
    await page.getByRole("button", { name: "lang: python" }).click();
    await page.getByText("1 of 1 match").waitFor();
    expect(new URL(page.url()).searchParams.get("lang")).toBe("python");
    await page.getByRole("button", { name: "remove filter" }).click();
    await page.getByRole("button", { name: "file: *.txt" }).click();
    await page.getByText("of 10,000 matches").waitFor();
  });

  test("keeps only the visible lines of 50,000 in the document", async () => {
    await goto("/file?path=big.py&line=40000");
    await page.getByText("value_39999").waitFor();
    expect(await page.locator(".row").count()).toBeLessThan(200);
    await page.getByRole("region", { name: "Source" }).evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await page.getByText("value_49999").waitFor();
  });

  test("shows hostile names and contents as text", async () => {
    await goto(`/file?path=${encodeURIComponent("shop/<img src=x onerror=alert(1)>.py")}`);
    const source = page.getByRole("region", { name: "Source" });
    await source.getByText("withdraw_all").waitFor();
    expect(await source.textContent()).toContain("<script>window.hacked = 1</script>");
    expect(await source.textContent()).toContain("\\u202e\\u2066<b>bold</b>");
    await goto("/search?mode=path&q=gnp");
    expect(await page.locator("[data-hit]").first().textContent()).toContain("\\u202egnp.py");
    await goto("/file?path=long.py");
    await page.getByText("18,012 more characters").waitFor();
    await goto("/file?path=huge.js");
    await page.getByRole("alert").getByText("too large").waitFor();
    await goto(`/search?q=${encodeURIComponent('"><script>window.hacked=1</script>')}`);
    await page.getByRole("status").first().waitFor();
    expect(await page.evaluate("'hacked' in window")).toBe(false);
  });

  test("shows the calls, the impact and the tests of a symbol", async () => {
    await goto("/symbol?at=shop%2Fprices.py%23total_price");
    const graph = page.getByRole("region", { name: "Call graph" });
    await graph.getByRole("link", { name: "pay" }).waitFor();
    await page.getByText("A change affects").waitFor();
    await page.getByText("test_prices.py").first().waitFor();
    await expectAccessible();
    await page.reload();
    await graph.getByRole("button", { name: "Show callers of pay" }).click();
    await graph.getByRole("link", { name: "checkout" }).waitFor();
    await graph.getByRole("link", { name: "checkout" }).click();
    await page.getByRole("heading", { name: "checkout" }).waitFor();
  });

  test("compares refs and the working tree, and copies a review", async () => {
    write(root, { "shop/prices.py": PRICES.replace("(items)", "(items, discount=0)") });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: ui.origin });
    await goto("/compare");
    await page.getByText("total_price(items, discount=0)").first().waitFor();
    await page.getByRole("link", { name: "tests/test_prices.py", exact: true }).waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "Copy as a review" }).click();
    await page.getByText(/Copied \d/).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("total_price");

    await goto("/file?path=shop%2Fapp.py&line=10");
    await page.getByRole("button", { name: "$EDITOR" }).click();
    await page.getByText("Command copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`\${EDITOR:-vi} +10 '${root}/shop/app.py'`);
    git(root, "checkout", "-q", "shop/prices.py");
    await goto("/compare?base=v1&head=main");
    await page.getByText("No symbol differs").waitFor();
    await page.getByLabel("To", { exact: true }).fill("nowhere");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("nowhere").waitFor();
  });

  test("explains a rank and a missing line", async () => {
    await goto("/search?q=take+money+from+an+account");
    await page.getByRole("link", { name: "why" }).first().click();
    await page.getByText("is result 1.").waitFor();
    await page.locator(".bars .total").waitFor();
    const values = await page.locator(".bars > div:not(.total) b").allTextContents();
    const total = Number(await page.locator(".bars .total b").textContent());
    expect(Math.abs(values.reduce((sum, value) => sum + Number(value), 0) - total)).toBeLessThan(
      0.01 * (values.length + 1),
    );
    await expectAccessible();
    await goto("/why?q=withdraw&path=big.py&line=7");
    await page.getByText("is not among").waitFor();
    await goto("/why?q=withdraw&path=huge.js&line=7");
    await page.getByText("is not indexed").waitFor();
  });

  test("copies context within a budget", async () => {
    await goto("/search?q=charge");
    await page.locator("[data-hit]").first().waitFor();
    await page.getByRole("button", { name: "Copy as context" }).click();
    await page.getByText(/Copied \d/).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("def charge");
  });

  test("every view reloads on its address, and fits a narrow screen", async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    const views = {
      "/search?q=charge": "def charge",
      "/search?mode=name&q=charge&lang=python": "lang: python",
      "/search?mode=regex&q=charge&in=shop&glob=*.py": "file: *.py",
      "/search?mode=path&q=app": "shop/app.py",
      "/file?path=shop%2Fapp.py&line=10&name=charge": "Calls, tests and impact",
      "/symbol?at=charge": "A change affects",
      "/compare?base=v1&head=main": "No symbol differs",
      "/why?q=charge&path=shop%2Fapp.py&line=17": "is result",
      "/index": "Size on disk",
    };
    for (const [path, text] of Object.entries(views)) {
      await goto(path);
      const shown = page.locator("main").getByText(text).first();
      await shown.waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(360);
      const hidden = "document.querySelector('.bar').scrollHeight - document.querySelector('.bar').clientHeight";
      expect(await page.evaluate(hidden), path).toBeLessThanOrEqual(1);
      expect(await violations(page), path).toEqual([]);
      await page.reload();
      await shown.waitFor();
      expect(page.url()).toBe(ui.origin + path);
    }
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  test("shows the index and updates it", async () => {
    await goto("/index");
    await page.getByText("Size on disk").waitFor();
    await expectAccessible();
    write(root, { "shop/new.py": "def brand_new(): pass\n" });
    await page.getByRole("button", { name: "Update" }).click();
    await page.locator("tbody tr").nth(1).waitFor();
    commit(root, "new file");
  });

  test("begins with a repository of the shared store where the server has none of its own", async ({ skip }) => {
    const database = await testDatabase();
    if ("skip" in database) return skip(database.skip);
    using shared = sandbox();
    const own = shared.repository({ "shop/app.py": APP });
    git(own, "remote", "add", "origin", "https://git.example/acme/shop.git");
    const args = ["--store", database.url];
    expect((await codecompass(["index", ...args], { cwd: own, env: shared.env })).code).toBe(0);
    using visitor = sandbox();
    const token = "token-of-the-team";
    const server = await startHttp(["--ui", "--token", token, ...args], visitor.env, visitor.tree({}));
    const origin = `http://127.0.0.1:${server.port}`;
    const stranger = await newContext();
    try {
      const view = await stranger.newPage();
      await view.goto(`${origin}/#token=${token}`);
      await view.getByText("Search this repository").waitFor();
      await view.locator("#query").fill("charge");
      await view.getByRole("link", { name: "app.py" }).first().waitFor();
      expect(new URL(view.url()).searchParams.get("ws")).toBe("git.example/acme/shop");
      await view.goto(`${origin}/index`);
      await view.getByText("Size on disk").waitFor();
      expect(await view.getByRole("button", { name: "Rebuild" }).count()).toBe(0);
    } finally {
      await stranger.close();
      await server.close();
      await database.drop();
    }
  });

  test("a port in use is refused, and the page never complained", async () => {
    const taken = await codecompass(["ui", "--no-open", "--port", new URL(ui.origin).port], { cwd: root, env: at.env });
    expect(taken).toMatchObject({ code: 2 });
    expect(taken.err).toContain("in use");
    expect(ui.stderr()).toContain("no display was found");
    expect(complaints).toEqual([]);
  });

  test("says when the repository is deleted underneath", async () => {
    rmSync(root, { recursive: true, force: true });
    await goto("/search?q=charge");
    await page.getByRole("alert").first().waitFor();
    expect(complaints).toEqual([]);
  });

  test("Ctrl-C stops the server", async () => {
    await page.goto("about:blank");
    expect(await ui.stop()).toBe(0);
  });
});

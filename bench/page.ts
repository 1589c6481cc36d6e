/**
 * How fast the page is, in a real Chromium: `node bench/page.ts DIRECTORY [QUESTIONS]`. The directory was indexed before. QUESTIONS is a
 * file with one question per line; without it, twenty about Apache Kafka are typed.
 *
 * As you type: milliseconds from the last key of a question to the frame with its answer. Opened: from the start of a navigation.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { BrowserContext, Page } from "playwright-core";
import { row, share } from "./figures.ts";

process.env.CODECOMPASS_TEST_MAIN ??= resolve(import.meta.dirname, "../bin/codecompass.js");
const { openBrowser, startUi } = await import("../test/kit/browser.ts");

const QUESTIONS = [
  "how is a partition leader elected",
  "fetch request timeout",
  "where are consumer offsets committed",
  "log segment rolling",
  "KafkaProducer",
  "rebalance protocol of the group coordinator",
  "idempotent producer sequence number",
  "transaction marker",
  "compression codec of a record batch",
  "validate topic name",
  "state store changelog restore",
  "quota throttle time",
  "ssl handshake failure",
  "snapshot of the metadata log",
  "connect worker restart task",
  "cleanOffset",
  "max.poll.interval.ms",
  "window join of two streams",
  "retry backoff",
  "delete records before an offset",
];
/** About 100 words a minute. */
const KEY_MS = 100;
const ROUNDS = 2;
const OPENINGS = 15;

/** Runs in the page: calls back in the first frame that is on the screen. */
const AFTER_FRAME = `
  const afterFrame = (then) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = then;
    port2.postMessage(0);
  });
`;

/** `answer`: milliseconds from the last key to the frame with its answer. */
const WATCH_KEYS = `${AFTER_FRAME}
  let asked = "", isAnswered = false, onDrawn;
  addEventListener("keydown", () => {
    const pressed = performance.now();
    isAnswered = false;
    window.answer = new Promise((done) => (onDrawn = () => done(performance.now() - pressed)));
  }, true);
  const send = window.fetch;
  window.fetch = async (...request) => {
    const body = asked = String(request[1]?.body ?? "");
    const response = await send(...request);
    const read = response.json.bind(response);
    response.json = async () => {
      const value = await read();
      if (body === asked) isAnswered = true;
      return value;
    };
    return response;
  };
  new MutationObserver(() => {
    if (!isAnswered || document.querySelector(".bar .loading")) return;
    isAnswered = false;
    afterFrame(onDrawn);
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
`;

const watchFor = (selector: string) => `${AFTER_FRAME}
  const seen = new MutationObserver(() => {
    if (!document.querySelector(${JSON.stringify(selector)})) return;
    seen.disconnect();
    afterFrame(() => onOpened(performance.now()));
  });
  let onOpened;
  window.opened = new Promise((done) => (onOpened = done));
  seen.observe(document, { subtree: true, childList: true });
`;

async function typeQuestions(page: Page, origin: string, questions: readonly string[]): Promise<number[]> {
  await page.addInitScript(WATCH_KEYS);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const question of questions) {
      await page.goto(origin);
      await page.locator("#query:focus").waitFor();
      await page.keyboard.type(question, { delay: KEY_MS });
      times.push(await page.evaluate("window.answer"));
    }
  }
  return times;
}

async function open(context: BrowserContext, url: string, selector: string): Promise<number[]> {
  const page = await context.newPage();
  await page.addInitScript(watchFor(selector));
  const times: number[] = [];
  for (let at = 0; at < OPENINGS; at++) {
    await page.goto("about:blank");
    await page.goto(url);
    times.push(await page.evaluate("window.opened"));
  }
  await page.close();
  return times;
}

/** A tracked file of 5,000 to 8,000 lines. */
function longFile(directory: string): string | undefined {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: directory, encoding: "utf8", maxBuffer: 1 << 28 });
  return git("ls-files", "*.java", "*.ts", "*.go", "*.py", "*.rs", "*.c", "*.rb", "*.cs")
    .split("\n")
    .slice(0, -1)
    .find((path) => {
      const lines = readFileSync(join(directory, path), "utf8").split("\n").length;
      return lines >= 5_000 && lines < 8_000;
    });
}

const [directory = ".", list] = process.argv.slice(2);
const questions = list === undefined ? QUESTIONS : readFileSync(list, "utf8").trim().split("\n");
const ui = await startUi(directory, process.env, ["--no-open"]);
const browser = await openBrowser();
try {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  await page.goto(ui.url);
  await page.locator("#query:focus").waitFor();
  const dist = resolve(import.meta.dirname, "../dist/ui");
  const bytes = readdirSync(dist).reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
  console.log(`page: ${(bytes / 1000).toFixed(1)} kB compressed\n`);
  row("ms", "p50", "p95", "max");
  row("---", "---", "---", "---");
  const print = (what: string, times: readonly number[]) =>
    row(`${what} (${times.length})`, share(times, 0.5), share(times, 0.95), share(times, 1));
  print("search page opened", await open(context, ui.origin, "#query"));
  const long = longFile(directory);
  if (long !== undefined)
    print(`${long} opened`, await open(context, `${ui.origin}/file?path=${encodeURIComponent(long)}`, ".code .row"));
  const times = await typeQuestions(page, ui.origin, questions);
  print("as you type, the first time", times.slice(0, questions.length));
  print("as you type, again", times.slice(questions.length));
  print("as you type, all", times);
} finally {
  await browser.close();
  await ui.stop();
}

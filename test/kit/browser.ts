/** A real Chromium and a real `codecompass ui`. Under `CI=true` a missing browser is a failure, never a skip. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { MAIN } from "./main.ts";

const CHROMIUM = process.env.CODECOMPASS_TEST_CHROMIUM ?? "/usr/bin/chromium";

/** Chromium asks the network nothing and runs as root. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const hasBrowser = existsSync(CHROMIUM) || process.env.CI === "true";

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

export interface UiProcess {
  /** With the token. */
  readonly url: string;
  readonly origin: string;
  readonly process: ChildProcess;
  readonly stderr: () => string;
  /** Ctrl-C. */
  stop(): Promise<number | null>;
}

export async function startUi(cwd: string, env: NodeJS.ProcessEnv, args: readonly string[] = []): Promise<UiProcess> {
  const child = spawn(process.execPath, [MAIN, "ui", ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stderr.on("data", (data) => {
    err += data;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (data) => {
      out += data;
      if (out.includes("\n")) resolve(out.trim());
    });
    void ended.then((code) => reject(new Error(`the page's server left with ${code}: ${err}`)));
  });
  const stop = () => {
    child.kill("SIGINT");
    return ended;
  };
  return { url, origin: new URL(url).origin, process: child, stderr: () => err, stop };
}

/** Whatever the page complains about: scripts that were blocked, errors, requests to other servers. */
export function watchPage(page: Page, origin: string): string[] {
  const seen: string[] = [];
  page.on("pageerror", (error) => seen.push(error.message));
  page.on("console", (message) => {
    // A refused call is logged by the browser; the page says what it means.
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) seen.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) seen.push(`request to ${request.url()}`);
  });
  return seen;
}

#!/usr/bin/env node
// Starts the CLI and nothing else. Old JavaScript on purpose (it parses on Node 12): on a Node that is too old it
// starts a newer one from node_modules, or says clearly what to do.
import { spawn } from "child_process";
import { existsSync } from "fs";
import * as nodeModule from "module";
import { dirname, join } from "path";
import { fileURLToPath } from "url";

const OLDEST = [22, 18];
const home = dirname(dirname(fileURLToPath(import.meta.url)));

if (isNewEnough(process.versions.node)) start();
else startUnderNewerNode();

function isNewEnough(version) {
  const parts = version.split(".").map(Number);
  return parts[0] > OLDEST[0] || (parts[0] === OLDEST[0] && parts[1] >= OLDEST[1]);
}

function start() {
  if (!existsSync(join(home, "dist", "cli", "main.js"))) {
    return fail("codecompass is not built yet (dist/cli/main.js is missing).", `Run \`npm install\` in ${home}.`);
  }
  if (process.env.CODECOMPASS_REEXECUTED && process.channel) endWithLauncher();
  // Compiled code is kept between runs; it halves the time to the first answer.
  if (nodeModule.enableCompileCache) nodeModule.enableCompileCache();
  import(new URL("../dist/cli/main.js", import.meta.url).href).then((cli) => cli.main(process.argv.slice(2)));
}

function startUnderNewerNode() {
  const node = process.env.CODECOMPASS_REEXECUTED ? undefined : newerNode();
  if (!node) {
    return fail(
      `codecompass needs Node ${OLDEST.join(".")} or newer; this is ${process.versions.node}.`,
      existsSync(join(home, "src"))
        ? `Install a newer Node, or run \`npm install\` in ${home}, which installs one for this checkout.`
        : "Install a newer Node, or let npm bring one: `npx -y -p node@24 -p codecompass-mcp codecompass ...`.",
    );
  }
  const env = Object.assign({}, process.env, { CODECOMPASS_REEXECUTED: "1" });
  const args = [fileURLToPath(import.meta.url)].concat(process.argv.slice(2));
  // Nothing is sent over the channel: the child learns from its end that this process is gone, even by SIGKILL.
  const child = spawn(node, args, { stdio: ["inherit", "inherit", "inherit", "ipc"], env: env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) =>
    fail(`codecompass could not start ${node}: ${error.message}`, "Run `npm install` again."),
  );
  child.on("exit", (code, signal) => process.exit(code === null ? (signal === "SIGINT" ? 130 : 143) : code));
}

const DRAIN_MS = 5000;

/** The launcher is all that the client knows of and can kill: this process must not outlive it. */
function endWithLauncher() {
  process.on("disconnect", () => {
    setTimeout(() => process.exit(143), DRAIN_MS).unref();
    process.kill(process.pid, "SIGTERM");
  });
  process.channel.unref();
}

/** The Node that npm installed beside this package or above it. */
function newerNode() {
  const file = process.platform === "win32" ? "node.exe" : "node";
  const packages = ["node", `node-${process.platform}-${process.arch}`];
  for (let dir = home; ; dir = dirname(dir)) {
    const found = packages
      .map((name) => join(dir, "node_modules", name, "bin", file))
      .filter((path) => existsSync(path));
    if (found.length > 0) return found[0];
    if (dirname(dir) === dir) return undefined;
  }
}

function fail(what, next) {
  process.stderr.write(`${what}\n${next}\n`);
  process.exitCode = 2;
}

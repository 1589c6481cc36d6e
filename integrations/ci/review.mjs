// Reviews a pull or merge request in CI: restores an index, runs `codecompass review`, and posts or updates one comment.
// Settings come from the environment; action.yml and gitlab.yml list them. Needs Node and git, nothing else.
import { execFileSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";

const { env } = process;
/** The comment is found by this line and replaced, so that a request has one. */
const MARK = "<!-- codecompass review -->";
/** GitHub refuses longer comments; GitLab allows more. */
const MOST_CHARACTERS = 65_000;

/** Runs codecompass; an exit code of 2 or more is an error of its own, 1 is the gate. */
function codecompass(...args) {
  const program = env.CODECOMPASS_PROGRAM
    ? [process.execPath, env.CODECOMPASS_PROGRAM]
    : ["npx", "--yes", "--package", env.REVIEW_PACKAGE || "codecompass-mcp", "codecompass"];
  try {
    const output = execFileSync(program[0], [...program.slice(1), ...args], {
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "inherit"],
      shell: process.platform === "win32" && program[0] === "npx",
    });
    return { output, failed: false };
  } catch (error) {
    if (error.status !== 1) throw error;
    return { output: error.stdout, failed: true };
  }
}

if (env.REVIEW_INDEX) codecompass("state", "import", env.REVIEW_INDEX);
const compared = env.REVIEW_BASE ? ["--base", env.REVIEW_BASE] : [];
const gates = (env.REVIEW_FAIL_ON ?? "").split(/[\s,]+/).filter(Boolean);
const found = codecompass("review", ...compared, "--json", ...gates.flatMap((rule) => ["--fail-on", rule]));
const { findings } = JSON.parse(found.output);
if (env.REVIEW_SARIF) writeFileSync(env.REVIEW_SARIF, codecompass("review", ...compared, "--format", "sarif").output);
const comment = codecompass(
  "review",
  ...compared,
  "--format",
  "markdown",
  "--budget",
  env.REVIEW_BUDGET || "8000",
).output;
const body = `${MARK}\n${comment}`.slice(0, MOST_CHARACTERS);

if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, body);
if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `findings=${findings.length}\n`);
if (env.REVIEW_COMMENT !== "false") await post(body);
else process.stdout.write(body);
for (const { rule, path, line, message } of findings.filter((one) => gates.includes(one.rule)))
  process.stderr.write(`${path}:${line}: ${rule}: ${message}\n`);
process.exitCode = found.failed ? 1 : 0;

/** One comment for each request. Outside of one, the review is printed. */
async function post(text) {
  const place = github() ?? gitlab();
  if (place === undefined) {
    process.stdout.write(text);
    return;
  }
  const { list, one, headers, update } = place;
  let mine;
  for (let page = 1; mine === undefined; page++) {
    const comments = await request("GET", `${list}?per_page=100&page=${page}`, headers);
    mine = comments.find((comment) => comment.body.startsWith(MARK));
    if (comments.length < 100) break;
  }
  if (mine === undefined) await request("POST", list, headers, { body: text });
  else await request(update, `${one}/${mine.id}`, headers, { body: text });
}

function github() {
  if (!env.GITHUB_PULL_REQUEST || !env.GITHUB_TOKEN) return undefined;
  const base = `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues`;
  const headers = { authorization: `Bearer ${env.GITHUB_TOKEN}`, accept: "application/vnd.github+json" };
  return { list: `${base}/${env.GITHUB_PULL_REQUEST}/comments`, one: `${base}/comments`, update: "PATCH", headers };
}

function gitlab() {
  if (!env.CI_MERGE_REQUEST_IID || !env.CODECOMPASS_GITLAB_TOKEN) return undefined;
  const list = `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`;
  return { list, one: list, update: "PUT", headers: { "private-token": env.CODECOMPASS_GITLAB_TOKEN } };
}

async function request(method, url, headers, body) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${response.status} ${await response.text()}`);
  return response.json();
}

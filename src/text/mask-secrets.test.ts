import { describe, expect, test } from "vitest";
import { maskSecrets } from "./mask-secrets.ts";

/** Random-looking characters of an alphabet: a repository must not contain a real token, not even in its tests. */
function body(length: number, alphabet = "aZ4kQ9rTbX2mWc7LpD5vNh8JsYg3FqKe6Ru"): string {
  return Array.from({ length }, (_, at) => alphabet[(at * 7 + (at >> 2)) % alphabet.length]).join("");
}
const hex = (length: number) => body(length, "9f3a7c1e5b08d264");
const upper = (length: number) => body(length, "Q7ZK3MXR5TVB2WNH4YLD");
const base64 = (length: number) => body(length, "aZ4kQ/9rTb+X2mWc7LpD5vNh8JsYg3FqKe6Ru");
const letters = (length: number) => body(length, "aZkQrTbXmWcLpDvNhJsYgFqKeRu");

const TOKENS: Readonly<Record<string, string>> = {
  "Amazon key id": `AKIA${upper(16)}`,
  "Amazon temporary key id": `ASIA${upper(16)}`,
  "Google API key": `AIza${body(35)}`,
  "Google OAuth token": `ya29.${body(60)}`,
  "Google client secret": `GOCSPX-${body(28)}`,
  "Azure client secret": `aB38Q~${body(34)}`,
  "DigitalOcean token": `dop_v1_${hex(64)}`,
  "Alibaba key id": `LTAI${body(20)}`,
  "Tailscale key": `tskey-auth-${body(30)}`,
  "Databricks token": `dapi${hex(32)}`,
  "Heroku key": `HRKU-${body(40)}`,
  "GitHub token": `ghp_${body(36)}`,
  "GitHub server token": `ghs_${body(36)}`,
  "GitHub fine-grained token": `github_pat_${body(22)}_${body(59)}`,
  "GitLab token": `glpat-${body(20)}`,
  "GitLab runner token": `glrt-${body(20)}`,
  "Atlassian token": `ATATT3${body(180)}`,
  "Bitbucket password": `ATBB${body(32)}`,
  "npm token": `npm_${body(36)}`,
  "PyPI token": `pypi-AgEIcHlwaS5vcmc${body(80)}`,
  "RubyGems key": `rubygems_${hex(48)}`,
  "Clojars token": `CLOJARS_${hex(60)}`,
  "Artifactory key": `AKCp${body(69)}`,
  "Docker token": `dckr_pat_${body(27)}`,
  "Terraform Cloud token": `${body(14)}.atlasv1.${body(67)}`,
  "Vault token": `hvs.${body(95)}`,
  "Doppler token": `dp.pt.${body(43)}`,
  "Pulumi token": `pul-${hex(40)}`,
  "Buildkite token": `bkua_${hex(40)}`,
  "CircleCI token": `CCIPAT_${body(22)}_${hex(40)}`,
  "Netlify token": `nfp_${body(36)}`,
  "Supabase token": `sbp_${hex(40)}`,
  "Sourcegraph token": `sgp_${hex(40)}`,
  "Stripe key": `sk_live_${body(24)}`,
  "Stripe restricted key": `rk_live_${body(99)}`,
  "Stripe webhook secret": `whsec_${body(32)}`,
  "Square token": `sq0atp-${body(22)}`,
  "Shopify token": `shpat_${hex(32)}`,
  "Slack bot token": `xoxb-${"2948105736-4710293856"}-${body(24)}`,
  "Slack app token": `xapp-1-${upper(11)}-2948105736471-${hex(64)}`,
  "Telegram token": `2948105736:AA${body(33)}`,
  "SendGrid key": `SG.${body(22)}.${body(43)}`,
  "Twilio key": `SK${hex(32)}`,
  "Mailgun key": `key-${hex(32)}`,
  "Brevo key": `xkeysib-${hex(64)}-${body(16)}`,
  "OpenAI project key": `sk-proj-${body(120)}`,
  "OpenAI key": `sk-${body(20)}T3BlbkFJ${body(20)}`,
  "Anthropic key": `sk-ant-api03-${body(93)}AA`,
  "OpenRouter key": `sk-or-v1-${hex(64)}`,
  "Groq key": `gsk_${body(52)}`,
  "xAI key": `xai-${body(80)}`,
  "Perplexity key": `pplx-${body(48)}`,
  "Replicate token": `r8_${body(37)}`,
  "Hugging Face token": `hf_${letters(34)}`,
  "LangSmith key": `lsv2_pt_${hex(32)}_${hex(10)}`,
  "Linear key": `lin_api_${body(40)}`,
  "Postman key": `PMAK-${hex(24)}-${hex(34)}`,
  "PlanetScale token": `pscale_tkn_${body(43)}`,
  "New Relic key": `NRAK-${upper(27)}`,
  "Sentry token": `sntryu_${hex(64)}`,
  "Grafana token": `glsa_${body(32)}_${hex(8)}`,
  "Notion token": `ntn_${body(46)}`,
  "Figma token": `figd_${body(43)}`,
  "Dynatrace token": `dt0c01.${upper(24)}.${upper(64)}`,
  "1Password token": `ops_eyJ${body(250)}`,
  "Mapbox secret token": `sk.eyJ${body(60)}.${body(22)}`,
  "JSON Web Token": `eyJ${body(33)}.eyJ${body(90)}.${body(43)}`,
  "age key": `AGE-SECRET-KEY-1${upper(58)}`,
};

describe("tokens are masked wherever they stand on a line", () => {
  const around = (token: string): readonly (readonly [string, string])[] => [
    ["", ""],
    ['token = "', '"\nprint(token)\n'],
    ["export TOKEN=", "\nrun\n"],
    ["    - name: a\n      value: ", " # comment\n"],
    ["curl -H 'Authorization: Bearer ", "' https://host/\n"],
    ["été 日本 ", " ü\n"],
    [`${"x = 1; ".repeat(700)}`, `${"; y = 2".repeat(700)}`],
    [`{"a":"${token.slice(0, 2)}","b":"`, '"}'],
  ];
  test.each(Object.entries(TOKENS))("%s", (_, token) => {
    for (const [before, after] of around(token))
      expect(maskSecrets(`${before}${token}${after}`)).toBe(`${before}${"*".repeat(token.length)}${after}`);
  });
});

const KEPT = "*";
const check = (name: string, text: string, expected: string) =>
  test(name, () => expect(maskSecrets(text)).toBe(expected));

describe("what is known by the words before it", () => {
  const stars = (length: number) => KEPT.repeat(length);
  const secret = base64(40);
  for (const name of ["aws_secret_access_key = ", "AWS_SECRET_ACCESS_KEY=", '"secretAccessKey": "', "secret_key: '"])
    check(name, `${name}${secret}\n`, `${name}${stars(40)}\n`);
  check("npm's token", `//host/npm/:_authToken=${hex(36)}\n`, `//host/npm/:_authToken=${stars(36)}\n`);
  check("npm's login", `//host/:_auth = "${base64(24)}"`, `//host/:_auth = "${stars(24)}"`);
  check("the login of hub", `  oauth_token: "${hex(40)}"`, `  oauth_token: "${stars(40)}"`);
  check("Azure storage", `AccountKey=${base64(86)}==;Suffix=x`, `AccountKey=${stars(88)};Suffix=x`);
  check(
    "a password in an address",
    "postgres://app:kX92mQz7Lp@db.internal/x",
    `postgres://app:${stars(10)}@db.internal/x`,
  );
  const hook = `${upper(9)}/${upper(11)}/${body(24)}`;
  check("a Slack webhook", `https://hooks.slack.com/services/${hook}`, `https://hooks.slack.com/services/${stars(46)}`);
});

describe("private keys", () => {
  const lines = Array.from({ length: 5 }, (_, at) => base64(64).slice(at) + base64(64).slice(0, at));
  const stars = lines.map((line) => KEPT.repeat(line.length));
  const key = (kind: string, rows: readonly string[], end = "\n") =>
    [`-----BEGIN ${kind}-----`, ...rows, `-----END ${kind}-----`].join(end);
  for (const kind of ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
    check(kind, `a\n${key(kind, lines)}\nb`, `a\n${key(kind, stars)}\nb`);
  check("with CRLF", key("PRIVATE KEY", lines, "\r\n"), key("PRIVATE KEY", stars, "\r\n"));
  check(
    "in a JSON string",
    `{"k":"${key("PRIVATE KEY", lines, "\\n")}\\n"}`,
    `{"k":"${key("PRIVATE KEY", stars, "\\n")}\\n"}`,
  );
  const quoted = (rows: readonly string[]) => key("EC PRIVATE KEY", rows, '\\n" +\n  "');
  check("in strings that are joined", quoted(lines), quoted(stars));
  check("indented", key("PRIVATE KEY", lines, "\n    | "), key("PRIVATE KEY", stars, "\n    | "));
  const head = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,AB\n";
  check("with headers", key("RSA PRIVATE KEY", [head, ...lines]), key("RSA PRIVATE KEY", [head, ...stars]));
  check(
    "without an end",
    `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n`,
    `-----BEGIN PRIVATE KEY-----\n${stars.join("\n")}\n`,
  );
  check(
    "without an end, then prose",
    `-----BEGIN PRIVATE KEY-----\n${lines[0]}\nand so on`,
    `-----BEGIN PRIVATE KEY-----\n${stars[0]}\nand so on`,
  );
});

describe("what is no secret stays", () => {
  for (const text of [
    "AKIAIOSFODNN7EXAMPLE",
    "//registry.npmjs.org/:_authToken=$" + "{NPM_TOKEN}",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    `ghp_${"x".repeat(36)}`,
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "glpat-your-token-goes-here-1",
    "sk_live_0000000000000000000000",
    `sk_test_${body(24)}`,
    "const ghp_identifier_that_is_rather_long_and_harmless_indeed = 1;",
    "npm_config_registry_of_the_whole_organisation_is_this",
    "postgres://user:password@localhost:5432/db postgres://postgres:postgres@db/x",
    "https://user:pass@example.com mysql://root:<password1>@host",
    'if (line.startsWith("-----BEGIN RSA PRIVATE KEY-----")) parse(line);\nmatch("-----END RSA PRIVATE KEY-----")',
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    `-----BEGIN PUBLIC KEY-----\n${base64(64)}\n-----END PUBLIC KEY-----`,
    `integrity: sha512-${base64(86)}==`,
    `commit ${hex(40)} blob ${hex(64)}`,
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ])
    test(text.slice(0, 60), () => expect(maskSecrets(text)).toBe(text));
});

test("every token of a long line is found, wherever what is examined at once ends", () => {
  const tokens = Object.values(TOKENS);
  for (let gap = 0; gap < 60; gap++) {
    const line = tokens.map((token) => `${"ab ".repeat(gap)}"${token}"`).join(",");
    const hidden = tokens.map((token) => `${"ab ".repeat(gap)}"${"*".repeat(token.length)}"`).join(",");
    expect(maskSecrets(line)).toBe(hidden);
  }
});

test("positions do not move, and masking twice is masking once", () => {
  const text = Object.values(TOKENS).join("\n é\t");
  const once = maskSecrets(text);
  expect(once.length).toBe(text.length);
  expect(Buffer.byteLength(once)).toBe(Buffer.byteLength(text));
  expect(once.split("\n").length).toBe(text.split("\n").length);
  expect(maskSecrets(once)).toBe(once);
});

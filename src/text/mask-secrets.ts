/**
 * Masks credentials in ordinary files: tokens with a recognisable format, and private keys. Each character is replaced by
 * `*` before the text is parsed, stored or shown, so that lines and columns do not move.
 */

const ALNUM = "[A-Za-z0-9]";
const HEX = "[a-f0-9]";
const WORD = "[\\w-]";
const BASE64 = "[A-Za-z0-9/+]";

/**
 * Per format: anchors, of which every token contains one near its start, and the pattern. If the pattern has a group, only
 * the group is masked. No pattern has nested repetitions, so all run in linear time.
 */
const FORMATS: readonly (readonly [anchors: readonly string[], pattern: string])[] = [
  // Cloud providers
  [["AKIA", "ASIA", "ABIA", "ACCA"], "\\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\\b"],
  [["AIza"], `\\bAIza${WORD}{35}(?!${WORD})`],
  [["ya29."], `\\bya29\\.${WORD}{30,}`],
  [["GOCSPX-"], `\\bGOCSPX-${WORD}{28}`],
  [["Q~"], "(?<![\\w~.-])[\\w~.]{3}\\dQ~[\\w~.-]{31,34}(?![\\w~.-])"],
  [["dop_v1_", "doo_v1_", "dor_v1_"], `\\bdo[opr]_v1_${HEX}{64}`],
  [["LTAI"], `\\bLTAI${ALNUM}{20}\\b`],
  [["tskey-"], `\\btskey-[a-z]+-${WORD}{20,}`],
  [["dapi"], `\\bdapi${HEX}{32}\\b`],
  [["HRKU-"], `\\bHRKU-${WORD}{36,}`],
  [["FlyV1 fm"], "\\bFlyV1 (fm\\d_[\\w/+=,-]{40,})"],
  // Code hosts, registries, build services
  [["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], `\\bgh[pousr]_${ALNUM}{36,255}`],
  [["github_pat_"], "\\bgithub_pat_\\w{60,255}"],
  [
    ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-"],
    "\\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[\\w.-]{20,}",
  ],
  [["ATATT3", "ATCTT3"], "\\bAT[AC]TT3[\\w=-]{60,}"],
  [["ATBB"], `\\bATBB${ALNUM}{28,}\\b`],
  [["npm_"], `\\bnpm_${ALNUM}{36}\\b`],
  [["pypi-AgE"], `\\bpypi-AgE${WORD}{50,}`],
  [["rubygems_"], `\\brubygems_${HEX}{48}\\b`],
  [["CLOJARS_"], `\\bCLOJARS_${ALNUM}{60}\\b`],
  [["AKCp"], `\\bAKCp${ALNUM}{60,}`],
  [["dckr_pat_", "dckr_oat_"], `\\bdckr_[po]at_${WORD}{27,}`],
  [["atlasv1"], `\\b${ALNUM}{14}\\.atlasv1\\.[\\w=-]{60,}`],
  [["hvs.", "hvb.", "hvr."], `\\bhv[sbr]\\.(?=\\w{0,30}\\d)${WORD}{24,}`],
  [["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."], "\\bdp\\.(?:pt|st|ct|sa)\\.[\\w.-]{40,}"],
  [["pul-"], `\\bpul-${HEX}{40}\\b`],
  [["bkua_"], `\\bbkua_${HEX}{40}\\b`],
  [["CCIPAT_"], "\\bCCIPAT_\\w{22,}"],
  [["nfp_"], `\\bnfp_${ALNUM}{36,}`],
  [["sbp_", "sb_secret_"], `\\b(?:sbp_${HEX}{40}|sb_secret_${WORD}{20,})`],
  [["sgp_"], `\\bsgp_(?:\\w{5,16}_)?${HEX}{40}\\b`],
  // Payment and shops
  [["sk_live_", "rk_live_"], `\\b[sr]k_live_${ALNUM}{16,}`],
  [["whsec_"], `\\bwhsec_${BASE64}{32,}`],
  [["sq0atp-", "sq0csp-"], `\\bsq0[ac][ts]p-${WORD}{22,43}`],
  [["shpat_", "shpca_", "shppa_", "shpss_"], "\\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}\\b"],
  // Messages and mail
  [["xox"], "\\bxox[abeoprs][.-](?=[A-Za-z.-]{0,20}\\d)[\\w.-]{20,}"],
  [["xapp-"], `\\bxapp-\\d-${ALNUM}+-\\d+-${ALNUM}{20,}`],
  [[":AA"], `\\b\\d{8,10}:AA${WORD}{33}(?!${WORD})`],
  [["SG."], `\\bSG\\.${WORD}{16,32}\\.${WORD}{40,64}`],
  [["SK"], `\\bSK${HEX}{32}\\b`],
  [["key-"], `\\bkey-${HEX}{32}\\b`],
  [["xkeysib-"], `\\bxkeysib-${HEX}{64}-${ALNUM}{16}`],
  // Language models
  [["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], `\\bsk-(?:proj|svcacct|admin|None)-${WORD}{40,}`],
  [["T3BlbkFJ"], `\\bsk-${ALNUM}{20}T3BlbkFJ${ALNUM}{20}`],
  [["sk-ant-"], `\\bsk-ant-[a-z0-9]+-${WORD}{40,}`],
  [["sk-or-v1-"], `\\bsk-or-v1-${HEX}{64}`],
  [["gsk_"], `\\bgsk_${ALNUM}{48,}`],
  [["xai-"], `\\bxai-${ALNUM}{70,}`],
  [["pplx-"], `\\bpplx-${ALNUM}{48}`],
  [["r8_"], `\\br8_${ALNUM}{37}\\b`],
  [["hf_"], "\\bhf_[A-Za-z]{34}\\b"],
  [["lsv2_"], `\\blsv2_[ps][tk]_${HEX}{32}_${HEX}{10}`],
  // Other services
  [["lin_api_"], `\\blin_api_${ALNUM}{40}`],
  [["PMAK-"], `\\bPMAK-${HEX}{24}-${HEX}{34}`],
  [["pscale_"], "\\bpscale_(?:tkn|oauth|pw)_[\\w.=-]{32,}"],
  [["NRAK-", "NRII-"], `\\bNR(?:AK|II)-${WORD}{27,32}`],
  [["sntrys_", "sntryu_"], "\\bsntry[su]_[\\w+/=]{40,}"],
  [["glsa_", "glc_ey"], `\\b(?:glsa_${ALNUM}{32}_${HEX}{8}|glc_eyJ[\\w+/=]{40,})`],
  [["ntn_"], `\\bntn_${ALNUM}{40,}`],
  [["figd_"], `\\bfigd_${WORD}{40,}`],
  [["dt0c01.", "dt0s01."], "\\bdt0[cs]01\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}"],
  [["ops_ey"], "\\bops_eyJ[\\w+/=]{200,}"],
  [["sk.eyJ"], `\\bsk\\.eyJ${WORD}{20,}\\.${WORD}{20,}`],
  [["eyJ"], `\\beyJ${WORD}{10,}\\.eyJ${WORD}{10,}\\.${WORD}{20,}`],
  [["AGE-SECRET-KEY-1"], "\\bAGE-SECRET-KEY-1[A-Z0-9]{58}"],
];

/** Credentials recognised by the text before them. Each pattern starts with fixed text, which is found at 1 GB/s. */
const NAMED: readonly RegExp[] = [
  // A password in a URL, except for localhost; webhook URLs, which grant access by themselves
  joinPatterns(
    ":\\/\\/(?:",
    [
      "[^\\s:/@\"'`<>{}$]{1,64}:(?=[^\\s/@]{0,128}\\d)(?=[^\\s/@]{0,128}[A-Za-z])([^\\s/@\"'`<>{}$]{8,128})@(?!localhost|127\\.)",
      "hooks\\.slack\\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{30,})",
      `(?:\\w{1,16}\\.)?discord(?:app)?\\.com/api/webhooks/(\\d{15,}/${WORD}{60,})`,
    ],
    ")",
  ),
  // Logins of a registry in .npmrc
  joinPatterns("\\/:_", ["(?:authToken|auth|password)\\s{0,2}=\\s{0,2}[\"']?([\\w/+=.-]{16,})"], ""),
  // Tokens of GitHub and others without a prefix, as their tools store them
  joinPatterns(`oauth_token["']?\\s{0,4}[:=]\\s{0,4}["']?(`, [`${HEX}{40}`], ")(?![\\w/+=])"),
  // Keys of Amazon, and of Azure's storage
  joinPatterns(
    `ecret_?-?(?:[Aa]ccess_?-?)?[Kk]ey["']?\\s{0,4}(?:=>|[:=,(])\\s{0,4}["']?(`,
    [`${BASE64}{40}`],
    ")(?![\\w/+=])",
  ),
  joinPatterns(`ECRET_(?:ACCESS_)?KEY["']?\\s{0,4}(?:=>|[:=,(])\\s{0,4}["']?(`, [`${BASE64}{40}`], ")(?![\\w/+=])"),
  joinPatterns("Key=(", [`${BASE64}{43}={1,2}`, `${BASE64}{86}={1,2}`], ")(?![\\w/+=])"),
];

/** Placeholders of documentation and tests; one random token in about ten thousand contains one. */
const PLACEHOLDER =
  /example|sample|dummy|fake|test|your|passw|placeholder|redacted|xxxx|\*\*\*|\.\.\.|0000|1234567|abcdefg|deadbeef/i;
const FEWEST_DISTINCT = 8;

const IS_TOKEN_CHARACTER = new Uint8Array(1 << 16);
for (const one of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
  IS_TOKEN_CHARACTER[one.charCodeAt(0)] = 1;
/** Every token has at least this many of these characters in a row. */
const SHORTEST_RUN = 20;
/** Where the anchor is searched from the start of such a run, and how much of a long line is examined. */
const ANCHOR_REACH = { before: 12, after: 32 };
const LINE_REACH = 1_000;

const ANCHOR = new RegExp(FORMATS.flatMap(([anchors]) => anchors.map(escaped)).join("|"));
const TOKEN = joinPatterns(
  "",
  FORMATS.map(([, pattern]) => pattern),
  "",
);

interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

/** Returns the same string if there is nothing to mask. */
export function maskSecrets(text: string): string {
  const named = NAMED.flatMap((pattern) => matchesIn(text, pattern, { start: 0, end: text.length }));
  const spans = [...named, ...tokenSpans(text), ...privateKeySpans(text)];
  return spans.length === 0 ? text : masked(text, spans);
}

/** Checks every 20th character, because most words are shorter: ten times as fast as searching all anchors. */
function tokenSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const { length } = text;
  let at = SHORTEST_RUN - 1;
  while (at < length) {
    if (IS_TOKEN_CHARACTER[text.charCodeAt(at)] === 0) {
      at += SHORTEST_RUN;
      continue;
    }
    let start = at;
    while (start > 0 && IS_TOKEN_CHARACTER[text.charCodeAt(start - 1)] === 1) start--;
    let end = at + 1;
    while (end < length && IS_TOKEN_CHARACTER[text.charCodeAt(end)] === 1) end++;
    at = end + SHORTEST_RUN;
    if (end - start < SHORTEST_RUN || !isAnchored(text, start, end)) continue;
    const line = lineAround(text, start, end);
    spans.push(...matchesIn(text, TOKEN, line));
    // A token may span the end of the examined part of a long line.
    at = Math.max(at, line.end - SHORTEST_RUN);
  }
  return spans;
}

function isAnchored(text: string, start: number, end: number): boolean {
  const from = Math.max(0, start - ANCHOR_REACH.before);
  return ANCHOR.test(text.slice(from, Math.min(end, start + ANCHOR_REACH.after)));
}

function lineAround(text: string, start: number, end: number): SecretSpan {
  const before = text.lastIndexOf("\n", start) + 1;
  const after = text.indexOf("\n", end);
  return {
    start: Math.max(before, start - LINE_REACH),
    end: Math.min(after < 0 ? text.length : after, end + LINE_REACH),
  };
}

function matchesIn(text: string, pattern: RegExp, { start, end }: SecretSpan): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { indices } of text.slice(start, end).matchAll(pattern)) {
    const [from, to] = indices!.findLast((pair) => pair !== undefined)!;
    const span = { start: start + from, end: start + to };
    if (!isPlaceholder(text.slice(span.start, span.end))) spans.push(span);
  }
  return spans;
}

function isPlaceholder(token: string): boolean {
  return PLACEHOLDER.test(token) || new Set(token).size < FEWEST_DISTINCT;
}

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Parts of a key's body, as text or in a string: headers, escapes, and base64. */
const KEY_PART = /^\s*[A-Z][A-Za-z-]+: .*$|\\+[nrt]|([A-Za-z0-9+/=]{4,})/gm;
const MOST_KEY_UNITS = 32_768;
const FEWEST_KEY_UNITS = 40;

/** Keeps the markers, so that a search finds keys. */
function privateKeySpans(text: string): SecretSpan[] {
  if (!text.includes("PRIVATE KEY")) return [];
  return [...text.matchAll(KEY_BEGIN)].flatMap(({ index, 0: begin }) => {
    const start = index + begin.length;
    return keyPieces(text.slice(start, keyEnd(text, start)), start);
  });
}

/** Without an end marker, the key extends over all lines that look like base64. */
function keyEnd(text: string, start: number): number {
  const marker = text.indexOf("-----", start);
  if (marker >= 0 && marker - start <= MOST_KEY_UNITS) return marker;
  const body = /(?:\s|\\[nr])*(?:[A-Za-z0-9+/=]{16,}(?:\s|\\[nr])*)*/y;
  body.lastIndex = start;
  return start + (body.exec(text)?.[0].length ?? 0);
}

function keyPieces(body: string, offset: number): SecretSpan[] {
  const pieces = [...body.matchAll(KEY_PART)].filter(([, piece]) => piece !== undefined);
  const longest = Math.max(0, ...pieces.map(([piece]) => piece.length));
  if (longest < FEWEST_KEY_UNITS || new Set(body).size < FEWEST_DISTINCT) return [];
  return pieces.map(({ index, 0: piece }) => ({ start: offset + index, end: offset + index + piece.length }));
}

function masked(text: string, spans: readonly SecretSpan[]): string {
  let out = "";
  let at = 0;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (end <= at) continue;
    out += text.slice(at, Math.max(at, start)) + "*".repeat(end - Math.max(at, start));
    at = end;
  }
  return out + text.slice(at);
}

function joinPatterns(before: string, patterns: readonly string[], after: string): RegExp {
  return new RegExp(`${before}${patterns.join("|")}${after}`, "dg");
}

function escaped(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

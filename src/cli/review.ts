/** Findings of a change, from the comparison that `diff_context` makes and the uses that it looks up. */
import type { Compass, Diff, Project } from "../compass/compass.ts";
import { version } from "../config/manifest.ts";
import { toolSettings } from "../config/schema.ts";
import { type SymbolChange, signatureChanged } from "../model/changes.ts";
import type { Span } from "../model/code.ts";
import { CompassError } from "../model/errors.ts";
import { DATA_KINDS, type Kind } from "../model/kinds.ts";
import type { CallSite } from "../model/navigation.ts";
import { findTool } from "../tools/index.ts";
import { runTool } from "../tools/run.ts";
import { counted, printable } from "../tools/text/style.ts";
import { CALLERS_OF_EACH, findAffected, isNotCode, isPublic } from "../tools/wire/affected.ts";
import { inlineCode } from "../tools/wire/review-pack.ts";
import type { Call, ExitCode } from "./command.ts";
import { plainText, type Review, type ReviewFinding, RULES, sarif } from "./render/review.ts";
import { createStyle } from "./render/style.ts";
import { type CommandSession, openCommandProject, withCompass } from "./session.ts";

export function review(call: Call): Promise<ExitCode> {
  return withCompass(call, async (session) => {
    const { base = call.words[0], head = call.words[1], format, failOn = [] } = call.flags;
    const project = await openCommandProject(session);
    const diff = await session.compass.diff(
      project,
      { ...(typeof base === "string" && { baseRef: base }), ...(typeof head === "string" && { headRef: head }) },
      call.signal,
    );
    const found = await reviewDiff(diff, session.compass, project, call.signal);
    if (call.globals.json) call.terminal.out(`${JSON.stringify(jsonFields(found))}\n`);
    else if (format === "sarif") call.terminal.out(`${JSON.stringify(sarif(found, version()), null, 1)}\n`);
    else if (format === "markdown") call.terminal.out(await markdown(found, call, session, project));
    else call.terminal.out(plainText(found, createStyle(call.terminal)));
    for (const warning of found.warnings) call.terminal.err(`warning: ${printable(warning)}\n`);
    return found.findings.some(({ rule }) => (failOn as readonly string[]).includes(rule)) ? 1 : 0;
  });
}

/** The comparison looks up the uses of so many symbols at once. */
const BATCH = 40;
/** Changes beyond these are not looked up, and a warning says so. */
const MOST_LOOKED_UP = 400;

async function reviewDiff(diff: Diff, compass: Compass, project: Project, signal: AbortSignal): Promise<Review> {
  const changes = diff.changes.flatMap(withoutRename);
  const relevant = outermost(changes.filter(isOfInterest), changes);
  const lookedUp = relevant.slice(0, MOST_LOOKED_UP);
  const callers: CallSite[] = [];
  const tested = new Set<string>();
  const warnings = new Set([...diff.warnings, ...diff.viewStatus.warnings]);
  const known = new Set<SymbolChange>();
  for (let at = 0; at < lookedUp.length; at += BATCH) {
    const batch = { ...diff, changes: lookedUp.slice(at, at + BATCH) };
    const affected = await findAffected(batch, compass, project, signal, { tests: Number.MAX_SAFE_INTEGER });
    callers.push(...affected.callers);
    for (const { uses } of affected.tests) for (const name of uses) tested.add(name);
    for (const warning of affected.warnings) warnings.add(warning);
    if (affected.warnings.length === 0) for (const change of batch.changes) known.add(change);
  }
  if (lookedUp.length < relevant.length)
    warnings.add(`Uses and tests were looked up for ${lookedUp.length} of ${relevant.length} changed public symbols.`);
  const usesOf = Map.groupBy(callers, ({ of }) => of);
  const findings = relevant.flatMap((change): ReviewFinding[] => {
    const name = shown(change).symbol.qualifiedName;
    const uses = known.has(change) ? (usesOf.get(name) ?? []) : undefined;
    const broken = isBreaking(change) && isKnownOutside(change, uses) ? [signatureFinding(change, uses)] : [];
    return known.has(change) && isUntested(change, tested) ? [...broken, untestedFinding(change)] : broken;
  });
  const order = Object.keys(RULES);
  return {
    baseRef: diff.baseRef,
    headRef: diff.headRef,
    mergeBase: diff.mergeBase,
    findings: findings.toSorted((a, b) => order.indexOf(a.rule) - order.indexOf(b.rule)),
    warnings: [...warnings],
  };
}

const NOT_AN_API: ReadonlySet<Kind> = new Set(["heading", "use", "test", ...DATA_KINDS]);
const FUNCTIONS: ReadonlySet<Kind> = new Set(["fn", "method", "constructor"]);
const TESTABLE: ReadonlySet<Kind> = new Set([...FUNCTIONS, "class", "struct", "object", "record"]);

function shown({ before, after }: SymbolChange) {
  return (after ?? before)!;
}

/** Under its old name, a renamed symbol is gone. */
function withoutRename(change: SymbolChange): SymbolChange[] {
  const { before, after } = change;
  if (before === undefined || after === undefined || before.symbol.name === after.symbol.name) return [change];
  return [
    { change: "deleted", before },
    { change: "added", after },
  ];
}

function isOfInterest(change: SymbolChange): boolean {
  const { symbol, path } = shown(change);
  // The symbol that others knew is the one before the change, which may have been hidden since.
  return !NOT_AN_API.has(symbol.kind) && !isNotCode(path) && isPublic((change.before ?? shown(change)).symbol);
}

/** Without members that came or went with what they are in, and without what is local to a function. */
function outermost(changes: readonly SymbolChange[], all: readonly SymbolChange[]): SymbolChange[] {
  const around = Map.groupBy(all.filter(hidesMembers), (change) => shown(change).path);
  return changes.filter((change) => {
    const { path, symbol } = shown(change);
    return !around.get(path)?.some((outer) => outer !== change && isAround(outer, change, symbol.span));
  });
}

function hidesMembers(change: SymbolChange): boolean {
  return change.change !== "modified" || FUNCTIONS.has(shown(change).symbol.kind);
}

function isAround(outer: SymbolChange, inner: SymbolChange, { start, end }: Span): boolean {
  const span = (inner.after === undefined ? outer.before : outer.after)?.symbol.span;
  const isSame = outer.change === inner.change || FUNCTIONS.has(shown(outer).symbol.kind);
  return isSame && span !== undefined && span.start <= start && end <= span.end;
}

/**
 * Where the language leaves the visibility open, a use in another file tells that others know the symbol. That use has to
 * be certain for a variable: a script has many, and most have the name of something else.
 */
function isKnownOutside(change: SymbolChange, uses: readonly CallSite[] | undefined): boolean {
  const { symbol, path } = (change.before ?? change.after)!;
  if (symbol.visibility === "public" || uses === undefined) return true;
  const others = uses.filter((use) => use.path !== path);
  return symbol.kind === "var" ? others.some(({ resolution }) => resolution !== "name_only") : others.length > 0;
}

function isBreaking(change: SymbolChange): boolean {
  return signatureChanged(change) || isHidden(change);
}

function isHidden({ before, after }: SymbolChange): boolean {
  return before?.symbol.visibility === "public" && after !== undefined && after.symbol.visibility !== "public";
}

function isUntested(change: SymbolChange, tested: ReadonlySet<string>): boolean {
  const { symbol } = shown(change);
  return change.after?.symbol.visibility === "public" && TESTABLE.has(symbol.kind) && !tested.has(symbol.name);
}

function untestedFinding(change: SymbolChange): ReviewFinding {
  const verb = change.change === "added" ? "was added" : "was changed";
  return { ...finding(change, "untested"), message: `${label(change)} ${verb} and no test uses it`, uses: [] };
}

/** `found` is undefined where uses were not looked up. */
function signatureFinding(change: SymbolChange, found: readonly CallSite[] | undefined): ReviewFinding {
  const { before, after } = change;
  const isGone = after === undefined;
  const uses = found ?? [];
  const left = found === undefined ? "uses were not looked up" : usesText(uses, isGone);
  if (after !== undefined && !isHidden(change)) {
    const message = `${label(change)} changed from \`${before?.symbol.signature}\` to \`${after.symbol.signature}\`; ${left}`;
    return { ...finding(change, "changed-public"), message, uses };
  }
  const what = isGone ? `was removed from ${before!.path}` : "is not public any more";
  // A removed symbol has no line any more: the finding is shown where it is still used.
  const place = isGone && uses[0] !== undefined ? { path: uses[0].path, line: uses[0].line } : {};
  return { ...finding(change, "removed-public"), ...place, message: `${label(change)} ${what}; ${left}`, uses };
}

function usesText(uses: readonly CallSite[], isGone: boolean): string {
  const certain = uses.filter(({ resolution }) => resolution !== "name_only").length;
  const guessed = uses.length - certain;
  const parts = [
    ...(certain > 0 ? [`${counted(certain, "use")} found`] : []),
    ...(guessed > 0 ? [isGone ? `${counted(guessed, "place")} still with its name` : `${guessed} by name only`] : []),
  ];
  if (parts.length === 0) return "no use found";
  return `${parts.join(", ")}${uses.length < CALLERS_OF_EACH ? "" : ", perhaps more"}`;
}

function label(change: SymbolChange): string {
  const { kind, qualifiedName } = shown(change).symbol;
  return `${kind} ${qualifiedName}`;
}

function finding(change: SymbolChange, rule: ReviewFinding["rule"]) {
  const { symbol, path } = shown(change);
  const { kind, qualifiedName, nameLine, span } = symbol;
  return { rule, kind, symbol: qualifiedName, path, line: nameLine ?? span.lineStart };
}

function jsonFields({ baseRef, headRef, mergeBase, findings, warnings }: Review) {
  return {
    base_ref: baseRef,
    head_ref: headRef,
    merge_base_commit: mergeBase,
    findings: findings.map(({ uses, ...one }) => ({
      ...one,
      level: RULES[one.rule].level,
      uses: uses.map(({ path, line, from, resolution }) => ({ path, line, from_symbol: from, resolution })),
    })),
    warnings,
  };
}

/** The review pack, then the findings that a reviewer has to act on. */
async function markdown(found: Review, call: Call, session: CommandSession, project: Project): Promise<string> {
  const { compass, loaded } = session;
  const reply = await runTool(
    findTool("diff_context")!,
    {
      workspace: project.root,
      base_ref: found.baseRef,
      head_ref: found.headRef,
      pack: Number(call.flags.budget),
      format: "markdown",
    },
    { compass, settings: toolSettings(loaded.config), version: version(), signal: call.signal },
  );
  if (reply.isError) {
    const { code, data } = reply.body.error as { code: CompassError["code"]; data: Record<string, unknown> };
    throw new CompassError(code, data);
  }
  const rows = found.findings.map(
    ({ rule, path, line, message }) =>
      `- **${rule}** ${inlineCode(printable(`${path}:${line}`))}: ${inlineCode(printable(message))}`,
  );
  const head = rows.length === 0 ? "#### No findings" : `#### ${counted(rows.length, "finding")}`;
  const cut = rows.length > MOST_ROWS ? [...rows.slice(0, MOST_ROWS), `- … and ${rows.length - MOST_ROWS} more`] : rows;
  return [reply.body.markdown, head, ...(cut.length > 0 ? [cut.join("\n")] : []), ""].join("\n\n");
}

/** A comment on a pull request has at most 65,536 characters. */
const MOST_ROWS = 100;

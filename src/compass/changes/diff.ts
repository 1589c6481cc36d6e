/**
 * What changed between two refs: resolves them, reads the changed files from git's objects or the disk, takes the records
 * of known contents from the store and has the rest parsed. Nothing is indexed and nothing is written.
 */
import { type DiffAnswer, type DiffRequest, type FileChange, type FileSide, WORKTREE } from "../../model/changes.ts";
import { PARSE_GAVE_UP } from "../../model/code.ts";
import { CompassError } from "../../model/errors.ts";
import type { IdSource } from "../../model/ids.ts";
import type { SymbolHit } from "../../model/search.ts";
import { symbolChanges } from "../../navigate/changes.ts";
import type { IndexSettings } from "../../ports/indexer.ts";
import type { Store } from "../../ports/store.ts";
import type { Vcs } from "../../ports/vcs.ts";
import { pathClasses } from "../../query/path-class.ts";
import { lineStarts, sliceLines } from "../../text/lines.ts";
import { maskSecrets } from "../../text/mask-secrets.ts";
import type { Diff, ViewStatus } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import type { Tree } from "../projects/tree.ts";
import { unreadableRepository } from "../refs/resolve-ref.ts";
import { type ChangedContent, type ContentPorts, changedContents } from "./changed-contents.ts";
import type { RecordCache } from "./changed-records.ts";
import { type RecordPorts, readChangedRecords } from "./changed-records.ts";

export interface DiffOptions {
  readonly ports: CompassPorts;
  readonly settings: IndexSettings;
  readonly records: RecordCache;
  readonly signal: AbortSignal;
}

export async function diffTree(tree: Tree, ask: DiffRequest, options: DiffOptions): Promise<Diff> {
  const { ports, settings, records, signal } = options;
  const store = await tree.store();
  const { root } = tree.row;
  const project = await tree.idsProject();
  const context = { root, ids: { project, hash: ports.hash }, signal };
  const answer = await diff(ask, { ...context, ports: { ...ports, settings, store, records } });
  return { ...answer, viewStatus: await describeStatus(answer, store) };
}

/** Objects do not go stale, and the comparison is complete whether or not the project is indexed. */
async function describeStatus({ headRef, warnings }: DiffAnswer, store: Store): Promise<ViewStatus> {
  const indexed = await store.views().then(
    (views) => views.length > 0,
    () => false,
  );
  return {
    ref: headRef,
    freshness: "fresh",
    indexing: indexed ? "ready" : "not_indexed",
    schema: indexed ? "compatible" : "not_indexed",
    complete: true,
    warnings,
  };
}

interface DiffPorts extends ContentPorts, RecordPorts {
  readonly vcs: Vcs;
}

interface DiffContext {
  readonly root: string;
  readonly ports: DiffPorts;
  readonly ids: IdSource;
  readonly signal: AbortSignal;
}

async function diff(ask: DiffRequest, context: DiffContext): Promise<DiffAnswer> {
  const { ports, root } = context;
  const base = await resolveBase(ask, context);
  const head = await resolveHead(ask, context);
  const refs = { base_ref: base.ref, head_ref: head.ref };
  const mergeBase = await ports.history.mergeBase(root, base.commit, head.commit);
  if (mergeBase === undefined) {
    const refusal = await unreadableRepository(root, ports.vcs);
    if (refusal !== undefined) throw unreadable(`${base.ref}...${head.ref}`, refusal.reason, refusal);
    throw new CompassError("merge_base_failed", refs);
  }
  const to = head.ref === WORKTREE ? WORKTREE : head.commit;
  const changed = await ports.history.changedPaths(root, mergeBase, to);
  // Git does not say which of the two it could not read.
  if (changed === undefined)
    throw unreadable(`${base.ref}...${head.ref}`, "objects of one of them are missing", DAMAGED);
  const { contents, warnings } = await changedContents(changed, ask.pathFilter, { root, ports });
  const sides = await readChangedRecords(contents, context);
  const skippedAs = (reason: FileChange["skipped"]) => sides.filter(({ skipped }) => skipped === reason).length;
  const [lacking, givenUp] = [skippedAs("unreadable"), skippedAs(PARSE_GAVE_UP)];
  return {
    baseRef: base.ref,
    headRef: head.ref,
    mergeBase,
    files: contents.map((file, at) => fileChange(file, sides[at]!.skipped)),
    changes: await symbolChanges(sides, context.ids, rankByClass),
    textOf: symbolTexts(sides, ports.settings),
    warnings: [
      ...warnings,
      ...(lacking === 0 ? [] : [lackingWarning(lacking)]),
      ...(givenUp === 0
        ? []
        : [`Changed files that could not be parsed: ${givenUp}. Their symbols were not compared.`]),
    ],
  };
}

const UNBORN = { suggestion: "Commit something first." };
const DAMAGED = { suggestion: "Fetch them again, or see what `git fsck` says of the repository." };

function lackingWarning(files: number): string {
  return `Changed files that are not in this clone, or cannot be read: ${files}. Their symbols were not compared.`;
}

interface ResolvedCommit {
  readonly ref: string;
  readonly commit: string;
}

async function resolveBase({ baseRef }: DiffRequest, { ports: { vcs }, root }: DiffContext): Promise<ResolvedCommit> {
  const ref = baseRef ?? (await vcs.defaultBranch(root));
  if (ref === undefined) throw unreadable("HEAD", "there is no repository here", await unreadableRepository(root, vcs));
  // A clone of one branch knows the default branch only as its remote's.
  const named = (await vcs.named(root, ref)) ?? (baseRef ? undefined : await vcs.named(root, `origin/${ref}`));
  if (named !== undefined) return { ref, commit: named.commit };
  const isUnborn = baseRef === undefined && (await vcs.head(root))?.branch === ref;
  if (isUnborn) throw unreadable(ref, "it has no commit yet", UNBORN);
  throw unreadable(ref, "there is no such ref here", await unreadableRepository(root, vcs));
}

async function resolveHead({ headRef }: DiffRequest, { ports: { vcs }, root }: DiffContext): Promise<ResolvedCommit> {
  if (headRef !== undefined && headRef !== WORKTREE) {
    const named = await vcs.named(root, headRef);
    if (named === undefined)
      throw unreadable(headRef, "there is no such ref here", await unreadableRepository(root, vcs));
    return { ref: headRef, commit: named.commit };
  }
  const head = await vcs.head(root);
  if (head?.commit === undefined) throw unreadable(head?.branch ?? "HEAD", "it has no commit yet", UNBORN);
  return { ref: headRef ?? head.branch ?? head.commit, commit: head.commit };
}

function unreadable(ref: string, reason: string, lost?: object): CompassError {
  return new CompassError("ref_not_indexed", {
    ref,
    reason,
    suggestion: "Pass a branch, tag or commit that `git rev-parse` knows here, or fetch it first.",
    ...lost,
  });
}

function fileChange(file: ChangedContent, skipped: FileChange["skipped"]): FileChange {
  const change = file.before === undefined ? "added" : file.after === undefined ? "deleted" : "modified";
  return {
    path: file.path,
    change,
    ...(file.renamedFrom !== undefined && { renamedFrom: file.renamedFrom }),
    ...(skipped !== undefined && { skipped }),
  };
}

/** The project's code, then its tests, then vendored and generated files. */
function rankByClass(path: string): number {
  const classes = pathClasses(path);
  if (classes.includes("vendored") || classes.includes("generated")) return 2;
  return classes.includes("test") ? 1 : 0;
}

type Sides = readonly { readonly before?: FileSide; readonly after?: FileSide }[];

function symbolTexts(sides: Sides, { includeSecrets }: IndexSettings): DiffAnswer["textOf"] {
  // A context pack reads hundreds of symbols of a file: counting its lines each time took longer than all else.
  type Lined = { text: string; starts?: readonly number[] };
  const byPath = { before: new Map<string, Lined>(), after: new Map<string, Lined>() };
  for (const side of sides) {
    if (side.before) byPath.before.set(side.before.record.path, { text: side.before.text });
    if (side.after) byPath.after.set(side.after.record.path, { text: side.after.text });
  }
  return ({ path, symbol }: SymbolHit, side) => {
    const lined = byPath[side].get(path);
    if (lined === undefined) return "";
    if (lined.starts === undefined) {
      lined.starts = lineStarts(lined.text);
      // Not earlier: a symbol in which only a token was replaced has changed all the same.
      if (!includeSecrets) lined.text = maskSecrets(lined.text);
    }
    return sliceLines(lined.text, symbol.span.lineStart, symbol.span.lineEnd, lined.starts);
  };
}

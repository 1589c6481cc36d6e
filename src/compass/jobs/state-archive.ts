/** Moves a project's index out into an archive, and back into a project that may live elsewhere. */
import { extractorId } from "../../ingest/extractor.ts";
import { withLease } from "../../ingest/run.ts";
import { stateArchive } from "../../ingest/state-dump.ts";
import { restoreState, STATE_LIMITS } from "../../ingest/state-restore.ts";
import { WORKTREE } from "../../model/changes.ts";
import { CompassError } from "../../model/errors.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { IndexSettings } from "../../ports/indexer.ts";
import type { ViewEntry } from "../../ports/snapshot.ts";
import type { Store, ViewDump } from "../../ports/store.ts";
import type { StateReport } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import type { Tree } from "../projects/tree.ts";
import { BASE_VIEW, isWorkingView, refOfView, workingView } from "../refs/resolve-ref.ts";

export async function exportState(
  tree: Tree,
  file: string,
  ports: CompassPorts,
  settings: IndexSettings,
): Promise<StateReport> {
  const store = await tree.store();
  const { requiredVersion } = await store.inspect();
  const dump = await store.dump();
  try {
    const names = await namesFor(tree);
    // What an earlier release has read may hold secrets, and would be read again where the archive goes.
    const outdated = new Set(dump.views.filter((view) => isOutdated(view, settings)).map(({ info }) => info.ref));
    const nameOf = (view: string) => (outdated.has(view) ? undefined : names.nameOf(view));
    const kept = dump.views.filter(({ info }) => nameOf(info.ref) !== undefined);
    if (kept.length === 0) throw new CompassError("index_not_ready", { workspace: tree.row.root });
    const archive = stateArchive(dump, {
      projectId: await tree.idsProject(),
      productVersion: ports.version,
      schemaVersion: requiredVersion,
      nameOf,
      bases: [BASE_VIEW, WORKTREE],
    });
    const bytes = await ports.archives.write(file, archive);
    const refs = shownRefs(kept.map(({ info }) => nameOf(info.ref)!));
    const files = new Set(kept.flatMap(({ entries }) => entries.flatMap(versionKeys))).size;
    return { file, bytes, refs, files };
  } finally {
    dump.release();
  }
}

/** A working tree's view is called after the tree, which is another one where the archive goes. */
async function namesFor(tree: Tree) {
  const own = workingView(tree.row.id, await tree.repository());
  return {
    nameOf: (view: string) => (view === own ? WORKTREE : isWorkingView(view) ? undefined : view),
    viewOf: (name: string) => (name === WORKTREE ? own : name),
  };
}

/** The names of refs; the base has none. */
function shownRefs(views: readonly string[]): string[] {
  return views.filter((view) => view !== BASE_VIEW).map(refOfView);
}

function isOutdated({ entries }: ViewDump, settings: IndexSettings): boolean {
  return entries.some(({ version }) => version !== undefined && version.extractor !== extractorId(settings));
}

function versionKeys({ version }: ViewEntry): string[] {
  return version === undefined ? [] : [`${version.path}\0${version.contentHash}\0${version.extractor}`];
}

/** Refuses with `index_in_progress` while another process writes. The present index is not touched before all is checked. */
export async function importState(
  tree: Tree,
  file: string,
  ports: CompassPorts,
  signal: AbortSignal,
): Promise<StateReport> {
  const store = await ports.stores.open(tree.row.storeLocation, { create: true, project: await tree.idsProject() });
  try {
    const { viewOf } = await namesFor(tree);
    return await replaceIndex(store, file, { project: await tree.idsProject(), viewOf, ports, signal });
  } finally {
    await store.close();
  }
}

interface ImportContext {
  readonly project: ProjectId;
  readonly viewOf: (name: string) => string;
  readonly ports: CompassPorts;
  readonly signal: AbortSignal;
}

function replaceIndex(store: Store, file: string, { ports, signal, ...naming }: ImportContext): Promise<StateReport> {
  const { env, hash, archives } = ports;
  return withLease({ store, env }, signal, async (lease, until) => {
    const { requiredVersion: schemaVersion } = await store.inspect();
    const into = await store.restore(lease);
    const clock = { jobId: env.uniqueWord(), now: env.now(), signal: until };
    const options = { ...naming, ...clock, ...(await openEmbedder(ports)), base: BASE_VIEW, hash, schemaVersion };
    try {
      const { manifest, files } = await restoreState(archives.read(file, STATE_LIMITS), into, options);
      await into.commit();
      return { file, bytes: 0, refs: shownRefs(manifest.refs.map(({ ref }) => ref)), files };
    } finally {
      await into.abort();
    }
  });
}

/** Another model embeds what is missing in its own time, as after any change. */
async function openEmbedder({ embedders }: CompassPorts): Promise<{ readonly embedder?: Embedder }> {
  if (!embedders?.inParsers) return {};
  const answer = await embedders.open();
  return "embedder" in answer ? { embedder: answer.embedder } : {};
}

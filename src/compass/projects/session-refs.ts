/** The ref that each session has switched to, by project. Sessions come and go: only the ones used last are kept. */
import type { ProjectId } from "../../model/ids.ts";

const MOST_SESSIONS = 1_000;

export class SessionRefs {
  readonly #refs = new Map<string, Map<ProjectId, string>>();

  refOf(session: string, project: ProjectId): string | undefined {
    return this.#refs.get(session)?.get(project);
  }

  switchTo(session: string, project: ProjectId, ref: string): void {
    const refs = this.#refs.get(session) ?? new Map<ProjectId, string>();
    refs.set(project, ref);
    // A map remembers the order of insertion: the first is the one that switched longest ago.
    this.#refs.delete(session);
    this.#refs.set(session, refs);
    if (this.#refs.size > MOST_SESSIONS) this.#refs.delete(this.#refs.keys().next().value!);
  }
}

/** Where a build writes: into the current database, or into a new one beside it that takes its place when it is done. */
import { CompassError } from "../../model/errors.ts";
import type { BeginOptions, Build } from "../../ports/build.ts";
import type { Env } from "../../ports/env.ts";
import type { Lease } from "../../ports/lease.ts";
import { type BuildOptions, buildOf, checkpoint } from "./build.ts";
import { type Connection, openIndexForWriting, schemaVersionOf } from "./connection.ts";
import type { Control } from "./control.ts";
import type { CurrentDatabase } from "./current-database.ts";
import type { Directory } from "./directory.ts";
import { incompatible } from "./failures.ts";
import { fenceOf, raiseFence } from "./fencing-token.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { schemaMessage } from "./source.ts";

export interface BuildsOptions {
  readonly directory: Directory;
  readonly control: Control;
  readonly current: CurrentDatabase;
  readonly env: Env;
  readonly step: BuildOptions["step"];
}

interface Beside {
  readonly db: Connection;
  readonly swap: () => void;
  readonly discard: () => void;
}

/** Several views that appear together, in place of everything that was there. */
export interface Restored extends Pick<Beside, "swap" | "discard"> {
  readonly begin: (ref: string, options: BeginOptions) => Build;
}

export class Builds {
  readonly #it: BuildsOptions;

  constructor(options: BuildsOptions) {
    this.#it = options;
  }

  update(lease: Lease, ref: string, options: BeginOptions): Build {
    const { current, env } = this.#it;
    const db = current.writable(env.uniqueWord());
    const version = schemaVersionOf(db);
    if (version !== SCHEMA_VERSION) throw incompatible(schemaMessage(version));
    db.writing(() => raiseFence(db, lease));
    current.sweep();
    // A holder that lost its lease while it published must not report a state that nobody can see.
    const onPublished = () => {
      if (!current.isCurrent(db)) throw new CompassError("index_in_progress");
    };
    return this.#build(db, { lease, ref, after: 0, ...options, onPublished, onAbort: () => {} });
  }

  /** The old database stays readable until the new one is published. */
  rebuild(lease: Lease, ref: string): Build {
    const after = this.#lastGeneration(ref);
    const { db, swap, discard } = this.#beside(lease);
    return this.#build(db, { lease, ref, after, onPublished: swap, onAbort: discard });
  }

  restore(lease: Lease): Restored {
    const { db, swap, discard } = this.#beside(lease);
    const quietly = { onPublished: () => {}, onAbort: () => {} };
    const begin: Restored["begin"] = (ref, options) =>
      this.#build(db, { lease, ref, after: this.#lastGeneration(ref), ...options, ...quietly });
    return { begin, swap, discard };
  }

  /** Best effort: a damaged index has no fence, and its replacement starts anew. */
  fence(): number {
    try {
      const source = this.#it.current.readable();
      return source ? fenceOf(source.db) : 0;
    } catch {
      return 0;
    }
  }

  #beside(lease: Lease): Beside {
    const { directory, control, current, env, step } = this.#it;
    current.closeWriter();
    directory.create();
    current.sweep();
    const path = directory.beside(`${lease.token}-${env.uniqueWord()}`);
    const db = openIndexForWriting(path, env.uniqueWord());
    db.writing(() => raiseFence(db, lease));
    let swapped = false;
    return {
      db,
      swap: () => {
        control.require(lease);
        checkpoint(db, "always");
        step("swap", () => directory.pointTo(path));
        swapped = true;
        current.adopt(db);
        current.sweep();
      },
      discard: () => {
        if (swapped) return;
        db.close();
        current.sweep();
      },
    };
  }

  #build(
    db: Connection,
    rest: Pick<BuildOptions, "lease" | "ref" | "after" | "base" | "onPublished" | "onAbort">,
  ): Build {
    const { control, env, step } = this.#it;
    return buildOf({ db, now: () => env.now(), step, requireLease: () => control.require(rest.lease), ...rest });
  }

  /** Best effort too: the generations of a rebuilt view go on from where the old one could still be read. */
  #lastGeneration(ref: string): number {
    try {
      return this.#it.current.readable()?.state(ref)?.info.generation ?? 0;
    } catch {
      return this.#beyondDamage();
    }
  }

  /**
   * Above any generation that a damaged index has had: answers and cursors are remembered by generation, and one that
   * came again would bring back what another state answered. Seconds are ahead of a count of publications.
   */
  #beyondDamage(): number {
    return Math.floor(this.#it.env.now() / 1000);
  }
}

/** Clock, process and randomness, injected so that tests can control them. */

export interface ProcessIdentity {
  readonly pid: number;
  /** Tells two processes that had the same pid apart: boot id and start time. */
  readonly incarnation: string;
}

export interface Env {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never go backwards. */
  monotonic(): number;
  /** Resolves after that long; keeps no process alive. */
  sleep(ms: number): Promise<void>;
  readonly self: ProcessIdentity;
  /** This boot of this machine, or of one container: processes of another one cannot be seen. */
  readonly machine: string;
  /** Whether that very process still runs. */
  isAlive(process: ProcessIdentity): boolean;
  /** Collects garbage and returns memory to the system. Slow: call it when the process is idle. */
  freeMemory(): void;
  /** Unique word for a job id. */
  uniqueWord(): string;
}

/** Named steps at which a test can make the process fail; does nothing in production. */
export type Failpoint = (step: string) => void;

/** Hooks of a repository that tell the index of a moved HEAD. Made on request only; a user's own hook is never touched. */

export interface HookOutcome {
  readonly hook: string;
  /** `kept`: somebody else's hook is there, and stays as it is. */
  readonly outcome: "installed" | "updated" | "present" | "kept" | "removed" | "absent";
}

export interface HookReport {
  readonly directory: string;
  /** Other repositories use this directory too: core.hooksPath says so. */
  readonly shared: boolean;
  readonly hooks: readonly HookOutcome[];
}

export interface Hooks {
  /** `command`: program and arguments that a hook starts, in the background. Undefined: no repository here. */
  install(root: string, command: readonly string[]): Promise<HookReport | undefined>;
  /** Takes away exactly what `install` added. */
  uninstall(root: string): Promise<HookReport | undefined>;
}

/** The closed registry of refusals. A code is public API: rows are added, never renamed. docs/errors.md is made from it. */

interface ErrorText {
  /** What happened, in one sentence; `{name}` is filled from the error's data. */
  readonly message: string;
  /** What the caller can do next. */
  readonly remediation: string;
}

interface ErrorRow extends ErrorText {
  /** For callers of a server that only reads (`read_only` in the data): they can make nothing be indexed. */
  readonly toReaders?: ErrorText;
  /** Texts for some values of the data's `cause`. */
  readonly byCause?: Readonly<Record<string, ErrorText>>;
}

export const ERRORS = {
  invalid_input: {
    message: "Invalid input: {reason}",
    remediation: "Correct the named parameter and call again.",
  },
  invalid_strategy: {
    message: "Unknown strategy {strategy}.",
    remediation: "Use one of: breadth, depth.",
  },
  invalid_max_tokens: {
    message: "max_tokens must be a whole number of at least 1.",
    remediation: "Pass a larger max_tokens or leave it out.",
  },
  project_not_found: {
    message: "No project is registered for {workspace}.",
    remediation: "Run `codecompass init` in the workspace, or start the server with --workspace PATH.",
    toReaders: {
      message: "No repository was named, or you have access to none.",
      remediation:
        "Pass the name of a repository you have access to as workspace (host/owner/name), or ask the server's operator.",
    },
  },
  workspace_not_registered: {
    message: "The workspace {workspace} is not registered.",
    remediation:
      "Run `codecompass init --path PATH`, or start the server with --workspace PATH; in a shared store, use the repository's name: host/owner/name.",
    byCause: {
      damaged: {
        message: "The registration of the workspace {workspace} is damaged: {file} cannot be read.",
        remediation: "Run `codecompass init --path PATH`, which writes that file again. The index is not affected.",
      },
    },
    toReaders: {
      message: "No repository {workspace} exists, or you have no access to it.",
      remediation:
        "Use the repository's name (host/owner/name), or ask the server's operator to publish it or grant access.",
    },
  },
  workspace_not_allowed: {
    message: "The workspace {workspace} is not allowed: {reason}",
    remediation: "Choose a directory inside an allowed root. A home directory or a drive root cannot be a workspace.",
  },
  workspace_limit_exceeded: {
    message: "The limit of {limit} auto-discovered workspaces is reached.",
    remediation: "Remove a workspace or raise --max-auto-workspaces.",
  },
  index_in_progress: {
    message: "An indexing job is already running for this project.",
    remediation: "Retry when that job has finished: index_status shows its progress, wait_seconds waits for it.",
  },
  index_not_ready: {
    message: "The index of {workspace} is not ready yet.",
    remediation: "Call index_repo, or poll index_status until it is ready.",
  },
  sync_in_progress: {
    message: "A sync of {ref} is already running for this project.",
    remediation: "Retry when that job has finished: index_status shows its progress, wait_seconds waits for it.",
  },
  index_stale: {
    message: "Index is stale: {reason}. Run sync_repo to refresh.",
    remediation: "Call sync_repo to update the index before querying.",
    toReaders: {
      message: "Index is stale: {reason}. This server is read-only.",
      remediation: "Retry with freshness_policy balanced, or after the newest state has been published.",
    },
  },
  index_incompatible: {
    message: "The index cannot be read: {reason}",
    remediation: "Run `codecompass index --force` to rebuild it.",
    byCause: {
      damaged: {
        message: "The index is damaged: {reason}",
        remediation:
          "Run `codecompass index` or call index_repo: a new index is built beside the damaged one. A server starts that by itself; ask again when index_status says it is ready.",
      },
    },
  },
  ref_not_indexed: {
    message: "The ref {ref} has no indexed state: {reason}.",
    remediation: "Call index_repo with this ref first, or pass one of the indexed refs.",
    byCause: {
      refused: {
        message: "The ref {ref} cannot be read: {reason}.",
        remediation: "Follow the suggestion, or ask without a ref: the files on disk can be indexed and searched.",
      },
    },
  },
  overlay_not_ready: {
    message: "The overlay of {ref} cannot be queried yet.",
    remediation: "Retry after the running sync is published.",
  },
  merge_base_failed: {
    message: "No merge base between {base_ref} and {head_ref}.",
    remediation: "Compare refs that share history, or fetch the missing commits.",
  },
  symbol_not_found: {
    message: "No symbol named {name} is indexed at {ref}.",
    remediation: "Check the spelling, or use search_code to find it by meaning.",
    byCause: {
      line: {
        message: "No symbol spans {name} at {ref}.",
        remediation: "Pass a line inside a symbol; get_file_outline lists those of the file.",
      },
    },
  },
  ambiguous_symbol: {
    message: "{candidate_count} symbols are named {name}.",
    remediation: "Pass path:line or path#name of one of the candidates as the name, or its symbol_id.",
  },
  file_not_found: {
    message: "No file {path} is indexed at {ref}.",
    remediation: "Check the path (relative to the workspace root) and whether index_status lists it as skipped.",
  },
  result_not_found: {
    message: "No result at {path}:{line} for this query.",
    remediation: "Pass path and line_start of a result that search_code returned for the same query.",
  },
  no_edges_available: {
    message: "No reference edges are indexed for this project.",
    remediation: "Run sync_repo; if the languages of this project have no edges, use search_code instead.",
  },
  internal_error: {
    message: "Unexpected failure: {reason}",
    remediation: "Retry; if it persists, run `codecompass doctor` and report it with the server's log.",
    byCause: {
      store: {
        message: "The store failed while {reason}",
        remediation: "Run `codecompass doctor` to check the store.",
      },
      busy: {
        message: "The store is busy: {reason}",
        remediation: "Retry in a moment.",
      },
      file_system: {
        message: "The file system refused it: {reason}",
        remediation:
          "Run `codecompass doctor`, which tries the data directory, or set CODECOMPASS_HOME to another one.",
      },
      disk_full: {
        message: "The disk is full: {reason}",
        remediation:
          "Free some space there, or set CODECOMPASS_HOME to a directory on a larger disk, and run it again. What was published before is still there.",
      },
    },
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** A refusal: a code of the registry and the data that makes its message exact. */
export class CompassError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, data: Readonly<Record<string, unknown>> = {}, options?: { cause?: unknown }) {
    const { toReaders, byCause, ...toAll }: ErrorRow = ERRORS[code];
    const { message, remediation } = (data.read_only === true && toReaders) || byCause?.[String(data.cause)] || toAll;
    super(fill(message, data), options);
    this.name = "CompassError";
    this.code = code;
    this.data = { ...data, remediation };
  }
}

const OF_THE_FILE_SYSTEM =
  /^E(?:NOENT|NOTDIR|ISDIR|EXIST|NOTEMPTY|ACCES|PERM|ROFS|IO|MFILE|NFILE|LOOP|NAMETOOLONG|NXIO|NODEV|BUSY|STALE|NOLCK)$/;

/** The cause of an unexpected error, for the data of `internal_error`. */
export function causeOf(error: unknown): { readonly cause?: "disk_full" | "file_system" } {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === "ENOSPC" || code === "EDQUOT") return { cause: "disk_full" };
  return typeof code === "string" && OF_THE_FILE_SYSTEM.test(code) ? { cause: "file_system" } : {};
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For a log: where it happened, too. */
export function errorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Whether stored bytes are to blame, and not another release's format: building the index again helps. */
export function isDamage(error: unknown): error is CompassError {
  return error instanceof CompassError && error.code === "index_incompatible" && error.data.cause === "damaged";
}

/** The refusal in the words for readers. Why it is so, and what the server's own people could do about it, is left out. */
export function toReaders(error: unknown): unknown {
  if (!(error instanceof CompassError)) return error;
  const { toReaders: own }: ErrorRow = ERRORS[error.code];
  if (own === undefined) return error;
  const { remediation: _, suggestion: __, reason: ___, ...data } = error.data;
  return new CompassError(error.code, { ...data, read_only: true }, { cause: error });
}

function fill(template: string, data: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (_, key: string) => String(data[key] ?? `the given ${key}`));
}

const ARCHIVE_SUGGESTION =
  "Nothing was changed here. Archives are made by `codecompass state export`, and have to arrive whole.";

/** An archive that is not imported, whatever is wrong with it. */
export function refusedArchive(reason: string, cause?: unknown): CompassError {
  return new CompassError("invalid_input", { parameter: "archive", reason, suggestion: ARCHIVE_SUGGESTION }, { cause });
}

/** The answer of a tool as state of a component. A new question cancels the one before. */
import { useLayoutEffect, useState } from "preact/hooks";
import { CallError, call, type Fields } from "./api.ts";

export interface CallState<T> {
  /** The last answer, also while the next one is awaited. */
  readonly data: T | undefined;
  readonly error: CallError | undefined;
  readonly loading: boolean;
}

/** An index is being built: the same call will be answered in a moment. */
const IN_PROGRESS = new Set(["overlay_not_ready", "index_not_ready", "index_in_progress", "sync_in_progress"]);
const RETRY_MS = 1_500;

const IDLE = { data: undefined, error: undefined, loading: false };

/** Without input there is no call. `turn`: a new number repeats it. */
export function useCall<T>(tool: string, input: Fields | undefined, turn = 0): CallState<T> {
  const key = input === undefined ? "" : JSON.stringify([tool, input]);
  const [state, setState] = useState<CallState<T>>(IDLE);
  const [again, setAgain] = useState(0);
  // Not `useEffect`, which waits for a frame: the call would leave that much after the key.
  useLayoutEffect(() => {
    if (input === undefined) {
      setState(IDLE);
      return;
    }
    const over = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    setState((before) => ({ ...before, loading: true }));
    call<T>(tool, input, over.signal).then(
      (data) => setState({ data, error: undefined, loading: false }),
      (error: unknown) => {
        if (over.signal.aborted) return;
        const failure = asCallError(error);
        setState({ data: undefined, error: failure, loading: false });
        if (IN_PROGRESS.has(failure.code)) retry = setTimeout(() => setAgain(again + 1), RETRY_MS);
      },
    );
    return () => {
      over.abort();
      clearTimeout(retry);
    };
  }, [key, turn, again]);
  return state;
}

function asCallError(error: unknown): CallError {
  return error instanceof CallError ? error : new CallError("bug", String(error));
}

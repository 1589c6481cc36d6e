/** The answer of a tool as state of a component. A new question cancels the one before. */
import { useEffect, useState } from "preact/hooks";
import { CallError, call, type Fields } from "./api.ts";

export interface CallState<T> {
  /** The last answer, also while the next one is awaited. */
  readonly data: T | undefined;
  readonly error: CallError | undefined;
  readonly loading: boolean;
}

const IDLE = { data: undefined, error: undefined, loading: false };

/** Without input there is no call. `turn`: a new number repeats it. */
export function useCall<T>(tool: string, input: Fields | undefined, turn = 0): CallState<T> {
  const key = input === undefined ? "" : JSON.stringify([tool, input]);
  const [state, setState] = useState<CallState<T>>(IDLE);
  useEffect(() => {
    if (input === undefined) {
      setState(IDLE);
      return;
    }
    const over = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    call<T>(tool, input, over.signal).then(
      (data) => setState({ data, error: undefined, loading: false }),
      (error: unknown) => {
        if (!over.signal.aborted) setState({ data: undefined, error: asCallError(error), loading: false });
      },
    );
    return () => over.abort();
  }, [key, turn]);
  return state;
}

function asCallError(error: unknown): CallError {
  return error instanceof CallError ? error : new CallError("bug", String(error));
}

/** Calls to the server: tools by name, with the answer as the tool gives it. */

export type Fields = Readonly<Record<string, unknown>>;

/** A refusal of the server, in its own words. */
export class CallError extends Error {
  readonly code: string;
  readonly data: Fields;

  constructor(code: string, message: string, data: Fields = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal: signal ?? null });
}

async function send(tool: string, input: Fields, signal?: AbortSignal): Promise<Response> {
  const response = await post(`/ui/call/${tool}`, input, signal).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new CallError("no_server", "The server does not answer. Start `codecompass ui` again.");
  });
  if (response.ok) return response;
  if (response.status === 401) {
    dispatchEvent(new Event("token-needed"));
    throw new CallError("token", "This page needs a token.");
  }
  const { error } = (await response.json().catch(() => ({}))) as { error?: CallError };
  throw new CallError(String(error?.code ?? response.status), error?.message ?? response.statusText, error?.data);
}

export async function call<T>(tool: string, input: Fields, signal?: AbortSignal): Promise<T> {
  return (await send(tool, input, signal)).json() as Promise<T>;
}

/** The answer as text for people and models. */
export async function callText(tool: string, input: Fields): Promise<string> {
  return (await send(tool, { ...input, format: "text", as_text: true })).text();
}

/** Exchanges a token for a session; false: it is not a token of this server. */
export async function openSession(token: string): Promise<boolean> {
  return (await post("/ui/session", { token })).ok;
}

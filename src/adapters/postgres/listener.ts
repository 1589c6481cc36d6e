/**
 * Receives notifications of publications, over a connection of its own to the primary. A lost one is opened again, and the
 * listener is notified that something may have been missed meanwhile. Behind a pooler nothing is received.
 */
import type { Client, Notification } from "pg";
import type { Address } from "./address.ts";
import { loadDriver } from "./driver.ts";
import { PUBLISHED_CHANNEL } from "./writer.ts";

export interface Published {
  readonly repo: number;
}

/** Undefined: anything may have been published since the last word. */
type Hear = (published: Published | undefined) => void;

const CONNECT_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

export class Listener {
  readonly #address: Address;
  readonly #hear: Hear;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #closed = false;

  constructor(address: Address, hear: Hear) {
    this.#address = address;
    this.#hear = hear;
    void this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const pg = await loadDriver();
    if (this.#closed) return;
    const client = new pg.Client({
      connectionString: this.#address.url,
      application_name: "codecompass listener",
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
    });
    this.#client = client;
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notification", ({ payload }: Notification) => this.#hear(publishedOf(payload ?? "")));
    try {
      await client.connect();
      // It does not keep the process alive. The driver has it, its types do not.
      (client as Client & { unref(): void }).unref();
      if (await isPooled(client)) return await this.close();
      await client.query(`LISTEN ${PUBLISHED_CHANNEL}`);
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#hear(undefined);
    } catch {
      this.#lost(client);
    }
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    void client.end().catch(() => {});
    this.#timer = setTimeout(() => void this.#connect(), this.#pauseMs).unref();
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }
}

/**
 * A pooler gives every client a number of its own, and hands its connections on: to listen on one would leave word of what is
 * published to the client that gets it next. Without it, a publication is noticed by the next question.
 */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid !== (client as Client & { processID: number }).processID;
}

/** `repo generation`. */
function publishedOf(payload: string): Published | undefined {
  const [, repo] = /^(\d+) \d+/.exec(payload) ?? [];
  return repo === undefined ? undefined : { repo: Number(repo) };
}

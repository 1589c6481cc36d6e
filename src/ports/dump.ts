/** All content of a store at once: taken out, and put in place of another. */
import type { BeginOptions, Build } from "./build.ts";
import type { StoredFile } from "./versions.ts";
import type { ViewEntry, ViewInfo } from "./view.ts";

/** One state of everything that the views show. Equal states give equal dumps, whichever engine holds them. */
export interface StoreDump {
  /** By ref. */
  readonly views: readonly ViewDump[];
  /** Every version that a view shows, by path, content and extractor; without vectors, which can be made again. */
  files(): AsyncIterable<StoredFile>;
  release(): void;
}

/** A view with everything it shows, for moving it to another store. */
export interface ViewDump {
  readonly info: ViewInfo;
  /** By path. */
  readonly entries: readonly ViewEntry[];
}

/** New content that is built beside the present one and takes its place as a whole. */
export interface Restoring {
  /** A view of the new content. Its publication is seen when all are. */
  begin(ref: string, options?: BeginOptions): Promise<Build>;
  commit(): Promise<void>;
  /** The present content stays; does nothing after the commit. */
  abort(): Promise<void>;
}

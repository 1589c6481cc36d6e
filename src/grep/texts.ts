/** Texts beside the index: files of the working tree that were skipped though they are text. */
export interface LooseFile {
  readonly path: string;
  readonly language: string;
  /** Changes with the content. */
  readonly key: string;
}

export interface LooseFiles {
  /** By path. `leftOut`: how many more there are than a search may read. */
  list(): Promise<{ readonly files: readonly LooseFile[]; readonly leftOut: number }>;
  /** Empty when it is gone or no text after all. */
  read(path: string): Promise<string>;
}

export const NO_LOOSE_FILES: LooseFiles = {
  list: async () => ({ files: [], leftOut: 0 }),
  read: async () => "",
};

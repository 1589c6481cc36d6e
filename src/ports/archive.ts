/** Archives of a few members with fixed names, written and read as streams. Never a tree of files. */

/** What an archive says of one of its members. */
export interface MemberSum {
  readonly name: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface NewMember {
  readonly name: string;
  content(): AsyncIterable<Uint8Array>;
}

export interface NewArchive {
  readonly members: readonly NewMember[];
  /** The first member; made when the sums of the others are known. */
  readonly manifest: {
    readonly name: string;
    content(sums: readonly MemberSum[]): Uint8Array;
  };
}

export interface OpenMember {
  readonly name: string;
  readonly size: number;
  /** To be read to its end before the next member is asked for. */
  content(): AsyncIterable<Uint8Array>;
  /** Of what was read; complete when the content was read to its end. */
  sha256(): string;
}

export interface ArchiveLimits {
  /** The members, in this order; anything else is refused. */
  readonly names: readonly string[];
  /** All members together. */
  readonly maxBytes: number;
  /** How much larger the content may be than the file. */
  readonly maxRatio: number;
}

export interface Archives {
  /** Whole or not at all; equal members give equal bytes. Returns the file's size. */
  write(path: string, archive: NewArchive): Promise<number>;
  /** Refuses with `invalid_input` whatever is not exactly as `write` makes it, as soon as it is seen. */
  read(path: string, limits: ArchiveLimits): AsyncIterable<OpenMember>;
}

/** Archives of a few members with fixed names, written and read as streams. Never a tree of files. */

/** Size and checksum of a member, as the manifest lists them. */
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
  /** The first member; created when the checksums of the others are known. */
  readonly manifest: {
    readonly name: string;
    content(sums: readonly MemberSum[]): Uint8Array;
  };
}

export interface OpenMember {
  readonly name: string;
  readonly size: number;
  /** Must be read to its end before the next member is requested. */
  content(): AsyncIterable<Uint8Array>;
  /** Checksum of the bytes read so far. */
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
  /** Throws `invalid_input` at the first byte that `write` would not have written. */
  read(path: string, limits: ArchiveLimits): AsyncIterable<OpenMember>;
}

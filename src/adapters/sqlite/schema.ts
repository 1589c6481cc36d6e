/** The tables of an index and of its control file. Another version of either means: build it again. */
export { SCHEMA_VERSION } from "../../engine/store.ts";

/** "CCIX", in the header of the file: distinguishes our database from those of other programs. */
export const APPLICATION_ID = 0x43434958;

/**
 * Everything a reader trusts is checksummed: blobs carry their own, rows have a `checksum` over their fields, and a
 * view's rows add up to its `digest`. SQLite itself would hand a flipped bit on.
 */
export const INDEX_TABLES = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE content (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, text BLOB NOT NULL);

  CREATE TABLE file_version (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL, hash TEXT NOT NULL, extractor TEXT NOT NULL, language TEXT NOT NULL,
    symbols INTEGER NOT NULL, chunks INTEGER NOT NULL, bytes INTEGER NOT NULL, problem TEXT,
    -- Git's id of the same content: a commit's file is known by it without being read.
    blob BLOB, created_at INTEGER NOT NULL, checksum INTEGER NOT NULL,
    -- What else was stored for it: see engine/integrity.ts. Null in rows of releases that did not say.
    facts_mark INTEGER, embedded TEXT
  );
  CREATE INDEX version_by_hash ON file_version (hash);
  CREATE INDEX version_by_blob ON file_version (blob) WHERE blob IS NOT NULL;

  -- Apart from file_version, so that loading a view reads only short rows.
  CREATE TABLE record (version INTEGER PRIMARY KEY, bytes BLOB NOT NULL);

  -- Apart from record, so that finding a definition reads no references. No row: the file has none.
  CREATE TABLE facts (version INTEGER PRIMARY KEY, bytes BLOB NOT NULL);

  -- Vectors of a version's chunks, by model: those of two models are never read together.
  CREATE TABLE vectors (
    id INTEGER PRIMARY KEY, version INTEGER NOT NULL, model TEXT NOT NULL, checksum INTEGER NOT NULL, bytes BLOB NOT NULL
  );
  CREATE UNIQUE INDEX vectors_by_version ON vectors (model, version);

  -- versions: the file_version id of each file of the segment, as 32-bit words; 0 where another segment holds it.
  CREATE TABLE segment (
    id INTEGER PRIMARY KEY AUTOINCREMENT, chunks INTEGER NOT NULL, checksum INTEGER NOT NULL,
    versions BLOB NOT NULL, head BLOB NOT NULL
  );

  -- The segment's sections, cut so that a question reads only those it needs; start: where in the segment.
  CREATE TABLE segment_part (segment INTEGER NOT NULL, start INTEGER NOT NULL, bytes BLOB NOT NULL);
  CREATE UNIQUE INDEX part_of_segment ON segment_part (segment, start);

  -- base_view, base_generation: a view that is kept as a difference to another one; see entry-rows.ts.
  CREATE TABLE view (
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, base_view INTEGER, base_generation INTEGER,
    generation INTEGER NOT NULL, commit_id TEXT, published_at INTEGER NOT NULL,
    totals TEXT NOT NULL, digest TEXT NOT NULL, checksum INTEGER NOT NULL
  );

  -- A row is seen by the generations from opened until just before closed.
  CREATE TABLE view_entry (
    view INTEGER NOT NULL, path TEXT NOT NULL, opened INTEGER NOT NULL, closed INTEGER,
    version INTEGER, skip TEXT,
    PRIMARY KEY (view, path, opened)
  ) WITHOUT ROWID;
  CREATE INDEX entry_by_opening ON view_entry (view, opened);
  CREATE INDEX entry_by_closing ON view_entry (view, closed) WHERE closed IS NOT NULL;

  -- The entries of a large view at one generation, to be loaded at once; see view-pack.ts.
  CREATE TABLE view_pack (view INTEGER PRIMARY KEY, generation INTEGER NOT NULL, bytes BLOB NOT NULL);

  -- What the files of a working tree were read as; tree: its project id.
  CREATE TABLE stamp (
    tree TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL, version INTEGER, skip TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (tree, path)
  ) WITHOUT ROWID;
  CREATE TABLE stamp_pack (tree TEXT PRIMARY KEY, bytes BLOB NOT NULL);

  CREATE TABLE publication (
    job TEXT PRIMARY KEY, view INTEGER NOT NULL, generation INTEGER NOT NULL, published_at INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

/**
 * Which row of a table is stored as a difference to which other: see delta-rows.ts. A table of its own, because indexes of
 * earlier releases get it with their first write; readers look into it only for rows that refer to it.
 */
export const KEPT_TABLE = `
  CREATE TABLE IF NOT EXISTS kept_over (
    kind INTEGER NOT NULL, id INTEGER NOT NULL, base INTEGER NOT NULL, PRIMARY KEY (kind, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS kept_by_base ON kept_over (kind, base);
`;

/** Columns that an index of an earlier release gets with its first write; its rows hold null in them. */
export const LATER_COLUMNS = [
  ["file_version", "facts_mark", "INTEGER"],
  ["file_version", "embedded", "TEXT"],
] as const;

/** Who may write and what runs. Apart from the index, so that a damaged index can still be replaced by one writer. */
export const CONTROL_TABLES = `
  CREATE TABLE IF NOT EXISTS lease (
    id INTEGER PRIMARY KEY CHECK (id = 1), token INTEGER NOT NULL,
    pid INTEGER, incarnation TEXT, ttl_ms INTEGER NOT NULL, expires_at INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS job (
    id TEXT PRIMARY KEY, started_at INTEGER NOT NULL, pid INTEGER NOT NULL, incarnation TEXT NOT NULL,
    job TEXT NOT NULL, checksum INTEGER NOT NULL
  ) WITHOUT ROWID;
  -- When a view was last asked, about.
  CREATE TABLE IF NOT EXISTS use (view TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
`;

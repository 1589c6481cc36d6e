/**
 * The tables, as steps that are only ever added. A step that older releases can live with says from which step on they
 * can: servers of two releases then share one database while it is upgraded.
 */
import { ACCESS_TABLES, AS_OWNER, FOUND_BY, guarded, READABLE_CONTENT, SECRET } from "./access-tables.ts";

export interface Migration {
  readonly version: number;
  /** The oldest step whose release still reads and writes correctly after this one. */
  readonly compatibleFrom: number;
  readonly sql: string;
}

/** Partitions of what grows with the code. Fixed when the tables are made; 64 serve a thousand million lines. */
const PARTITIONS = 16;

/**
 * Everything of a repository carries its id, `repo`: policies and partitions go by it. What is stored of a file is a blob,
 * named by the hash of its bytes and kept once; `holding` says which repositories hold it. Numbers of versions and segments
 * are the repository's own: they fit 32 bits.
 */
const TABLES = `
CREATE TABLE codecompass.repository (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C",
  -- The project that symbol ids are made from: that of the first writer, for all.
  ids_project text NOT NULL,
  schema_version integer NOT NULL,
  -- What is read now. A rebuild or an import fills another epoch and takes its place when it is published.
  epoch integer NOT NULL DEFAULT 0,
  last_epoch integer NOT NULL DEFAULT 0,
  last_version bigint NOT NULL DEFAULT 0,
  last_segment bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  -- Null: readers guess.
  default_ref text COLLATE "C"
);
CREATE INDEX repository_named ON codecompass.repository (name);
-- For patterns like *acme*.
CREATE INDEX repository_by_name ON codecompass.repository USING gin (name gin_trgm_ops);

CREATE TABLE codecompass.epoch (
  repo integer NOT NULL, id integer NOT NULL, retired_at bigint, PRIMARY KEY (repo, id)
);

-- Times are milliseconds of the database's clock.
CREATE TABLE codecompass.lease (
  repo integer PRIMARY KEY, token bigint NOT NULL, pid integer, incarnation text, host text,
  ttl_ms bigint NOT NULL, expires_at bigint NOT NULL
);
CREATE TABLE codecompass.job (
  repo integer NOT NULL, id text COLLATE "C" NOT NULL, started_at bigint NOT NULL,
  pid integer NOT NULL, incarnation text NOT NULL, host text NOT NULL, job text NOT NULL,
  PRIMARY KEY (repo, id)
);
CREATE TABLE codecompass.use (
  repo integer NOT NULL, view text COLLATE "C" NOT NULL, at bigint NOT NULL, PRIMARY KEY (repo, view)
);

CREATE TABLE codecompass.view (
  repo integer NOT NULL, id integer GENERATED ALWAYS AS IDENTITY, epoch integer NOT NULL,
  ref text COLLATE "C" NOT NULL, base_view integer, base_generation integer,
  generation integer NOT NULL, commit_id text, published_at bigint NOT NULL, totals text NOT NULL,
  PRIMARY KEY (repo, id), UNIQUE (repo, epoch, ref)
);
CREATE TABLE codecompass.publication (
  repo integer NOT NULL, job text COLLATE "C" NOT NULL, view integer NOT NULL, generation integer NOT NULL,
  published_at bigint NOT NULL, PRIMARY KEY (repo, job)
);

-- A row is seen by the generations from opened until just before closed. Neither version nor skip: nothing is there.
CREATE TABLE codecompass.view_entry (
  repo integer NOT NULL, view integer NOT NULL, path text COLLATE "C" NOT NULL,
  opened integer NOT NULL, closed integer, version bigint, skip text,
  PRIMARY KEY (repo, view, path, opened)
) PARTITION BY HASH (repo);
CREATE INDEX view_entry_by_opening ON codecompass.view_entry (repo, view, opened);
CREATE INDEX view_entry_by_closing ON codecompass.view_entry (repo, view, closed) WHERE closed IS NOT NULL;

CREATE TABLE codecompass.file_version (
  repo integer NOT NULL, id bigint NOT NULL, epoch integer NOT NULL,
  path text COLLATE "C" NOT NULL, hash bytea NOT NULL, extractor text COLLATE "C" NOT NULL,
  language text NOT NULL, symbols integer NOT NULL, chunks integer NOT NULL, bytes bigint NOT NULL, problem text,
  git_blob bytea, created_at bigint NOT NULL,
  text_key bytea NOT NULL, record_key bytea NOT NULL, facts_key bytea,
  PRIMARY KEY (repo, id)
) PARTITION BY HASH (repo);
CREATE UNIQUE INDEX file_version_by_name ON codecompass.file_version (repo, epoch, path, hash, extractor);
CREATE INDEX file_version_by_git_blob ON codecompass.file_version (repo, git_blob) WHERE git_blob IS NOT NULL;

CREATE TABLE codecompass.blob (key bytea NOT NULL PRIMARY KEY, bytes bytea NOT NULL) PARTITION BY HASH (key);
-- What is large is packed already, but for records, which are not so that they are read quickly.
ALTER TABLE codecompass.blob ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE codecompass.holding (
  repo integer NOT NULL, key bytea NOT NULL, PRIMARY KEY (repo, key)
) PARTITION BY HASH (repo);
CREATE INDEX holding_by_key ON codecompass.holding (key);

CREATE TABLE codecompass.vectors (
  repo integer NOT NULL, version bigint NOT NULL, model text COLLATE "C" NOT NULL, key bytea NOT NULL,
  PRIMARY KEY (repo, model, version)
) PARTITION BY HASH (repo);

CREATE TABLE codecompass.segment (
  repo integer NOT NULL, id bigint NOT NULL, epoch integer NOT NULL, chunks integer NOT NULL,
  versions bytea NOT NULL, head bytea NOT NULL, PRIMARY KEY (repo, id)
) PARTITION BY HASH (repo);
CREATE INDEX segment_by_epoch ON codecompass.segment (repo, epoch);

CREATE TABLE codecompass.segment_part (
  repo integer NOT NULL, segment bigint NOT NULL, start integer NOT NULL, kind smallint NOT NULL, bytes bytea NOT NULL,
  PRIMARY KEY (repo, segment, start)
) PARTITION BY HASH (repo);
-- Packed already: another try would only cost time.
ALTER TABLE codecompass.segment_part ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- What finds files across repositories: see term-index.ts. Numbers of repositories first, so that a few of them are one look.
-- A row is a group of files, with masks that tell them apart (segment/file-groups.ts).
CREATE TABLE codecompass.findable (
  repo integer NOT NULL, version bigint NOT NULL, words tsvector NOT NULL, trigrams integer[] NOT NULL,
  files smallint NOT NULL DEFAULT 1, run bigint, run_files integer, run_places smallint,
  PRIMARY KEY (repo, version)
) PARTITION BY HASH (repo);
-- Words pack badly, and short lists of numbers gain little while every look at a row gets slow.
ALTER TABLE codecompass.findable ALTER COLUMN words SET STORAGE EXTERNAL, ALTER COLUMN trigrams SET STORAGE EXTERNAL;
CREATE INDEX findable_by_terms ON codecompass.findable USING gin (repo, words);
CREATE INDEX findable_by_trigrams ON codecompass.findable USING gin (repo, trigrams);
CREATE TABLE codecompass.mask (
  repo integer NOT NULL, run bigint NOT NULL, at integer NOT NULL, bits bytea NOT NULL, PRIMARY KEY (repo, run, at)
) PARTITION BY HASH (repo);
ALTER TABLE codecompass.mask ALTER COLUMN bits SET STORAGE EXTERNAL;
CREATE INDEX view_entry_by_version ON codecompass.view_entry (repo, version) WHERE version IS NOT NULL;

-- revision: grows with every change of the tree's stamps.
CREATE TABLE codecompass.stamped_tree (
  repo integer NOT NULL, epoch integer NOT NULL, tree text COLLATE "C" NOT NULL, revision bigint NOT NULL,
  PRIMARY KEY (repo, epoch, tree)
);
CREATE TABLE codecompass.stamp (
  repo integer NOT NULL, epoch integer NOT NULL, tree text COLLATE "C" NOT NULL, path text COLLATE "C" NOT NULL,
  stamp text NOT NULL, version bigint, skip text,
  PRIMARY KEY (repo, epoch, tree, path)
) PARTITION BY HASH (repo);
${partitionsOf("view_entry", "file_version", "blob", "holding", "vectors", "segment", "segment_part", "findable", "mask", "stamp")}
`;

/**
 * Every search reads the pending lists of GIN indexes from end to end: 267 ms with long lists, 9.5 ms without. An ingest
 * empties them at its end, with the rights of the owner, and notes when that was: one that changes nothing leaves no other trace.
 */
const CLEAN_PENDING_LISTS = `
CREATE TABLE codecompass.ingest (id boolean PRIMARY KEY DEFAULT true CHECK (id), ended_at timestamptz NOT NULL);
CREATE FUNCTION codecompass.clean_pending_lists() RETURNS void LANGUAGE plpgsql ${AS_OWNER} AS $$
BEGIN
  PERFORM gin_clean_pending_list(c.oid) FROM pg_class c JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin'
    WHERE c.relkind = 'i' AND c.relnamespace = 'codecompass'::regnamespace;
  INSERT INTO codecompass.ingest (ended_at) VALUES (clock_timestamp()) ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at;
END $$;
REVOKE ALL ON FUNCTION codecompass.clean_pending_lists() FROM PUBLIC;
`;

/** Where the content of new repositories goes, if not into the store itself: see `data-nodes.ts`. */
const DATA_NODES = `
ALTER TABLE codecompass.repository ADD COLUMN uid uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE codecompass.blob ADD COLUMN node integer NOT NULL DEFAULT 0;
CREATE TABLE codecompass.node (
  id integer PRIMARY KEY CHECK (id > 0), accepts_repositories boolean NOT NULL DEFAULT true,
  last_repository integer NOT NULL DEFAULT 0
);
`;

/**
 * Partitions are vacuumed after changes to a few percent of their rows, however few: rows are large, and with the engine's
 * least number of 50 those of small stores never were. Without pauses: space is free before the next ingest fills it again.
 */
const AUTOVACUUM = `
DO $$ DECLARE part regclass; BEGIN
  FOR part IN SELECT p.inhrelid FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid AND c.relkind = 'r'
    WHERE c.relnamespace = 'codecompass'::regnamespace
  LOOP
    EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
      autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_threshold = 4, autovacuum_vacuum_cost_delay = 0,
      toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_threshold = 50,
      toast.autovacuum_vacuum_cost_delay = 0)', part);
  END LOOP;
END $$;
`;

/** What tells a lost row from one that never was, and the entries of a view as one blob (`engine/view-pack.ts`). */
const INTEGRITY = `
ALTER TABLE codecompass.view ADD COLUMN digest text, ADD COLUMN digest_at integer;
-- Key of the model that embedded the version last.
ALTER TABLE codecompass.file_version ADD COLUMN embedded text;
CREATE TABLE codecompass.view_pack (
  repo integer NOT NULL, view integer NOT NULL, generation integer NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (repo, view)
);
ALTER TABLE codecompass.view_pack ALTER COLUMN bytes SET STORAGE EXTERNAL;
${guarded("view_pack")}
`;

/** A repository that comes back gets its number again, and with it the partitions where it left space: GIN never shrinks. */
const FORMER_REPOSITORIES = `
CREATE TABLE codecompass.former_repository (key text COLLATE "C" PRIMARY KEY, id integer NOT NULL);
`;

/** Release 0.1.0 made the tables of step 7. Steps before it were never released. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 7, compatibleFrom: 7, sql: TABLES + ACCESS_TABLES },
  // Releases before present a principal by its number, and write to tables that are gone from here on.
  {
    version: 9,
    compatibleFrom: 9,
    sql: `DROP TABLE IF EXISTS codecompass.near, codecompass.spoken;${SECRET}${FOUND_BY}${DATA_NODES}${READABLE_CONTENT}
      ${CLEAN_PENDING_LISTS}${AUTOVACUUM}`,
  },
  { version: 10, compatibleFrom: 9, sql: INTEGRITY + FORMER_REPOSITORIES },
];

function partitionsOf(...tables: readonly string[]): string {
  const one =
    "CREATE TABLE codecompass.%1$s_%2$s PARTITION OF codecompass.%1$s FOR VALUES WITH (MODULUS %3$s, REMAINDER %2$s)";
  return `DO $$ DECLARE name text; BEGIN
  FOREACH name IN ARRAY ARRAY['${tables.join("', '")}'] LOOP
    FOR at IN 0..${PARTITIONS - 1} LOOP EXECUTE format('${one}', name, at, ${PARTITIONS}); END LOOP;
  END LOOP;
END $$;`;
}

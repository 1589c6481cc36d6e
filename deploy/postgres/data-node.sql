-- Sets up a data node: a database that holds the content of some repositories of a store, and nothing else. Run it in an empty
-- database of the node, as its owner. Running it again changes only the password.
--
--   NODE_PASSWORD=… psql -d codecompass_node -f data-node.sql
--
-- Only the store logs in, as codecompass_node, over postgres_fdw. Then run attach-node.sql on the store.
\set ON_ERROR_STOP on
\getenv password NODE_PASSWORD
BEGIN;
SET LOCAL client_min_messages = warning;
SELECT 'CREATE ROLE codecompass_node LOGIN' WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'codecompass_node') \gexec
ALTER ROLE codecompass_node PASSWORD :'password';
-- Ends statements that no client waits for any more.
ALTER ROLE codecompass_node SET statement_timeout = '15min';
ALTER ROLE codecompass_node SET idle_in_transaction_session_timeout = '15min';

CREATE SCHEMA IF NOT EXISTS codecompass;
CREATE TABLE IF NOT EXISTS codecompass.blob (
  node integer NOT NULL, key bytea NOT NULL PRIMARY KEY, bytes bytea NOT NULL
) PARTITION BY HASH (key);
CREATE TABLE IF NOT EXISTS codecompass.segment_part (
  repo integer NOT NULL, segment bigint NOT NULL, start integer NOT NULL, kind smallint NOT NULL, bytes bytea NOT NULL,
  PRIMARY KEY (repo, segment, start)
) PARTITION BY HASH (repo);
-- The bytes are compressed already.
ALTER TABLE codecompass.blob ALTER COLUMN bytes SET STORAGE EXTERNAL;
ALTER TABLE codecompass.segment_part ALTER COLUMN bytes SET STORAGE EXTERNAL;
SELECT format('CREATE TABLE IF NOT EXISTS codecompass.%1$s_%2$s PARTITION OF codecompass.%1$s FOR VALUES WITH (MODULUS 16, REMAINDER %2$s)
    WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_threshold = 4,
    autovacuum_vacuum_cost_delay = 0, toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_cost_delay = 0)', name, remainder)
  FROM unnest(ARRAY['blob', 'segment_part']) AS name, generate_series(0, 15) AS remainder \gexec
GRANT USAGE ON SCHEMA codecompass TO codecompass_node;
GRANT SELECT, INSERT, UPDATE, DELETE ON codecompass.blob, codecompass.segment_part TO codecompass_node;
COMMIT;

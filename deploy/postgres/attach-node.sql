-- Attaches a data node to a store. The content of a new repository is placed on a node, chosen by size. Existing repositories
-- stay where they are. Run it in the store's database as a superuser, after data-node.sql on the node, while
-- nothing is indexed; running it again changes the connection.
--
--   NODE_PASSWORD=… psql -d codecompass -v node=1 -v host=node-1 -v port=5432 -v dbname=codecompass_node -f attach-node.sql
--
-- `node` counts from 1. Only the content is foreign (blob, segment_part). Catalog, views, leases, principals and the indexes
-- that find across repositories stay here: a publication is one local transaction, and content is written before it.
\set ON_ERROR_STOP on
\getenv password NODE_PASSWORD
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS postgres_fdw;
SELECT set_config('attach.node', :'node', true), set_config('attach.host', :'host', true),
  set_config('attach.port', :'port', true), set_config('attach.dbname', :'dbname', true),
  set_config('attach.password', :'password', true) \g /dev/null

DO $$
DECLARE
  node integer := current_setting('attach.node')::integer;
  server text := 'node_' || node;
  password text := current_setting('attach.password');
  owner text := (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'codecompass.repository'::regclass);
  per_node constant integer := 1000000;
  one text;
BEGIN
  -- Once: the tables of the store become the local partitions. A table with a unique index cannot have foreign partitions, so
  -- the new parents have no index; every partition keeps its own.
  IF to_regclass('codecompass.blob_local') IS NULL THEN
    ALTER TABLE codecompass.blob RENAME TO blob_local;
    CREATE TABLE codecompass.blob (LIKE codecompass.blob_local) PARTITION BY LIST (node);
    ALTER TABLE codecompass.blob ATTACH PARTITION codecompass.blob_local FOR VALUES IN (0);
    ALTER TABLE codecompass.segment_part RENAME TO segment_part_local;
    CREATE TABLE codecompass.segment_part (LIKE codecompass.segment_part_local) PARTITION BY RANGE (repo);
    EXECUTE format('ALTER TABLE codecompass.segment_part ATTACH PARTITION codecompass.segment_part_local
      FOR VALUES FROM (MINVALUE) TO (%s)', per_node);
    FOREACH one IN ARRAY ARRAY['blob', 'segment_part'] LOOP
      EXECUTE format('ALTER TABLE codecompass.%I OWNER TO %I', one, owner);
      EXECUTE format('ALTER TABLE codecompass.%I ENABLE ROW LEVEL SECURITY', one);
      EXECUTE format('CREATE POLICY everybody ON codecompass.%I USING (true) WITH CHECK (true)', one);
      IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'codecompass_principal') THEN
        EXECUTE format('REVOKE ALL ON codecompass.%I FROM codecompass_read, codecompass_ingest, codecompass_admin, codecompass_principal', one || '_local');
        EXECUTE format('GRANT SELECT ON codecompass.%I TO codecompass_read', one);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON codecompass.%I TO codecompass_ingest, codecompass_admin', one);
      END IF;
    END LOOP;
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'codecompass_principal') THEN
      CREATE POLICY principal ON codecompass.segment_part AS RESTRICTIVE TO codecompass_principal
        USING (repo IN (SELECT codecompass.seen()));
      CREATE POLICY principal ON codecompass.blob AS RESTRICTIVE TO codecompass_principal
        USING (EXISTS (SELECT 1 FROM codecompass.holding h WHERE h.key = blob.key));
    END IF;
  END IF;

  -- Views follow a table that is renamed.
  CREATE OR REPLACE VIEW codecompass.readable_blob WITH (security_barrier) AS SELECT b.* FROM codecompass.blob b
    WHERE EXISTS (SELECT 1 FROM codecompass.holding h WHERE h.key = b.key AND h.repo / 1000000 = b.node
      AND h.repo IN (SELECT codecompass.seen()));
  CREATE OR REPLACE VIEW codecompass.readable_segment_part WITH (security_barrier) AS
    SELECT p.* FROM codecompass.segment_part p WHERE p.repo IN (SELECT codecompass.seen());

  IF EXISTS (SELECT 1 FROM pg_foreign_server WHERE srvname = server) THEN
    EXECUTE format('ALTER SERVER %I OPTIONS (SET host %L, SET port %L, SET dbname %L)', server,
      current_setting('attach.host'), current_setting('attach.port'), current_setting('attach.dbname'));
    EXECUTE format('DROP USER MAPPING FOR PUBLIC SERVER %I', server);
  ELSE
    -- Give up on an unreachable node after two seconds, and on a silent one after five.
    EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L,
      connect_timeout ''2'', tcp_user_timeout ''5000'', keepalives_idle ''5'', keepalives_interval ''2'', keepalives_count ''2'',
      async_capable ''true'', use_remote_estimate ''false'', batch_size ''100'')', server,
      current_setting('attach.host'), current_setting('attach.port'), current_setting('attach.dbname'));
    -- Parts of segments are large: few are in memory at once.
    EXECUTE format('CREATE FOREIGN TABLE codecompass.blob_%1$s PARTITION OF codecompass.blob FOR VALUES IN (%2$s)
      SERVER %1$s OPTIONS (schema_name ''codecompass'', table_name ''blob'', fetch_size ''200'')', server, node);
    EXECUTE format('CREATE FOREIGN TABLE codecompass.segment_part_%1$s PARTITION OF codecompass.segment_part
      FOR VALUES FROM (%2$s) TO (%3$s) SERVER %1$s
      OPTIONS (schema_name ''codecompass'', table_name ''segment_part'', fetch_size ''50'')',
      server, node::bigint * per_node, (node + 1)::bigint * per_node);
    FOREACH one IN ARRAY ARRAY['blob_', 'segment_part_'] LOOP
      EXECUTE format('ALTER FOREIGN TABLE codecompass.%I OWNER TO %I', one || server, owner);
    END LOOP;
  END IF;
  -- For every user of the store, but only through tables it may read. No role has USAGE on the server, so none can see the
  -- password or create foreign tables.
  EXECUTE format('CREATE USER MAPPING FOR PUBLIC SERVER %I OPTIONS (user ''codecompass_node'', password %L)', server, password);
  INSERT INTO codecompass.node (id) VALUES (node) ON CONFLICT DO NOTHING;
END $$;
COMMIT;

-- One database that reads many: every shard is a store of its own, written by `codecompass index --store <shard>`, and
-- this one shows them as one. Run it in an empty database, as a role that may create extensions; again after an upgrade
-- that changed the tables. Nothing is written through it: a repository's batches and publications stay inside its shard,
-- where they are one transaction.
--
-- Before the first repository is indexed, give each shard numbers of its own. For the second one:
--   ALTER TABLE codecompass.repository ALTER COLUMN id RESTART WITH 1000001;
-- (the tables are made by the first `codecompass index --store <shard>`; an empty directory will do, forget it afterwards)
--
--   psql -v shards='{"host=shard-0 dbname=codecompass","host=shard-1 dbname=codecompass"}' -v reader=codecompass -f shards.sql
\set ON_ERROR_STOP on
BEGIN;
CREATE EXTENSION IF NOT EXISTS postgres_fdw;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
SELECT set_config('shards.list', :'shards', true), set_config('shards.reader', :'reader', true);

DO $$
DECLARE
  list text[] := current_setting('shards.list')::text[];
  reader text := current_setting('shards.reader');
  per_shard constant int := 1000000;
  shard text; part text; setting text; found record; parts text; rest text;
BEGIN
  DROP SCHEMA IF EXISTS codecompass CASCADE;
  CREATE SCHEMA codecompass;
  FOR i IN 1 .. cardinality(list) LOOP
    shard := 'shard' || i - 1;
    EXECUTE format('DROP SERVER IF EXISTS %I CASCADE', shard);
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', shard);
    -- A server that does not answer is given up after two seconds: what the others say comes in time.
    EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER postgres_fdw OPTIONS (fetch_size ''1000'', async_capable ''true'',
      use_remote_estimate ''true'', connect_timeout ''2'', updatable ''false'')', shard);
    EXECUTE format('CREATE USER MAPPING FOR %I SERVER %I', reader, shard);
    FOREACH part IN ARRAY string_to_array(list[i], ' ') LOOP
      setting := split_part(part, '=', 1);
      IF setting IN ('user', 'password') THEN
        EXECUTE format('ALTER USER MAPPING FOR %I SERVER %I OPTIONS (ADD %I %L)', reader, shard, setting, substr(part, length(setting) + 2));
      ELSE
        EXECUTE format('ALTER SERVER %I OPTIONS (ADD %I %L)', shard, setting, substr(part, length(setting) + 2));
      END IF;
    END LOOP;
    EXECUTE format('CREATE SCHEMA %I', shard);
    EXECUTE format('IMPORT FOREIGN SCHEMA codecompass FROM SERVER %I INTO %I', shard, shard);
  END LOOP;

  FOR found IN
    SELECT c.relname AS name, (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid
        AND a.attname = CASE c.relname WHEN 'repository' THEN 'id' ELSE 'repo' END) AS owner
      FROM pg_class c WHERE c.relnamespace = 'shard0'::regnamespace AND c.relkind = 'f'
  LOOP
    IF found.owner IS NOT NULL THEN
      -- A question about one repository goes to its shard alone.
      EXECUTE format('CREATE TABLE codecompass.%I (LIKE shard0.%I) PARTITION BY RANGE (%I)', found.name, found.name, found.owner);
      FOR i IN 1 .. cardinality(list) LOOP
        EXECUTE format('ALTER TABLE codecompass.%I ATTACH PARTITION shard%s.%I FOR VALUES FROM (%s) TO (%s)',
          found.name, i - 1, found.name, (i - 1) * per_shard + 1, i * per_shard + 1);
      END LOOP;
    ELSE
      -- Content that several shards hold is the same in each of them. How the tables were made is asked of the first.
      SELECT string_agg(format('SELECT * FROM shard%s.%I', n - 1, found.name), ' UNION ALL ') INTO parts
        FROM generate_series(1, CASE found.name WHEN 'blob' THEN cardinality(list) ELSE 1 END) n;
      EXECUTE format('CREATE VIEW codecompass.%I WITH (security_invoker = true) AS %s', found.name, parts);
    END IF;
  END LOOP;

  -- What the others hold while one is away: an engine asks all or none, so servers ask these instead, and say what is missing.
  FOR i IN 1 .. CASE cardinality(list) WHEN 1 THEN 0 ELSE cardinality(list) END LOOP
    rest := format('without_shard%s', i - 1);
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', rest);
    EXECUTE format('CREATE SCHEMA %I', rest);
    FOR found IN
      SELECT c.relname AS name, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'repo')
          OR c.relname IN ('repository', 'blob') AS spread
        FROM pg_class c WHERE c.relnamespace = 'shard0'::regnamespace AND c.relkind = 'f'
    LOOP
      SELECT string_agg(format('SELECT * FROM shard%s.%I', n - 1, found.name), ' UNION ALL ') INTO parts
        FROM generate_series(1, cardinality(list)) n WHERE n <> i AND (found.spread OR n = CASE i WHEN 1 THEN 2 ELSE 1 END);
      EXECUTE format('CREATE VIEW %I.%I WITH (security_invoker = true) AS %s', rest, found.name, parts);
    END LOOP;
  END LOOP;

  FOR found IN SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^(codecompass|(without_)?shard\d+)$' LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', found.name, reader);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', found.name, reader);
  END LOOP;
END $$;
COMMIT;

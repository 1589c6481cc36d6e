-- One database that reads many: every shard is a store of its own, written by `codecompass index --store <shard>`, and
-- this one shows them as one. Run it in an empty database, as a role that may create extensions; again after an upgrade
-- that changed the tables. Nothing is written through it: a repository's batches and publications stay inside its shard,
-- where they are one transaction.
--
-- Where the roles of init.sh are there before it runs, the reader knows principals of its own: `codecompass principals add
-- --store <reader>` says who may see which repositories, on whichever shard they lie, and policies here bind a server that
-- logs in as a member of codecompass_principal. Shards are asked by the user of their connection string, who may see
-- all of theirs; principals of the shards themselves count only for who connects there.
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
  guarded boolean := EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'codecompass_principal');
  per_shard constant int := 1000000;
  shard text; part text; setting text; found record; parts text; rest text; asker text;
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
    FOREACH part IN ARRAY string_to_array(list[i], ' ') LOOP
      setting := split_part(part, '=', 1);
      CONTINUE WHEN setting IN ('user', 'password');
      EXECUTE format('ALTER SERVER %I OPTIONS (ADD %I %L)', shard, setting, substr(part, length(setting) + 2));
    END LOOP;
    -- Views below are asked with the rights of their owner.
    FOR asker IN SELECT DISTINCT name FROM unnest(ARRAY[reader, current_user]
        || CASE WHEN guarded THEN ARRAY['codecompass_principal'] END) AS name LOOP
      EXECUTE format('CREATE USER MAPPING FOR %I SERVER %I', asker, shard);
      FOREACH part IN ARRAY string_to_array(list[i], ' ') LOOP
        setting := split_part(part, '=', 1);
        CONTINUE WHEN setting NOT IN ('user', 'password');
        EXECUTE format('ALTER USER MAPPING FOR %I SERVER %I OPTIONS (ADD %I %L)', asker, shard, setting, substr(part, length(setting) + 2));
      END LOOP;
      -- A shard that lets this machine in by other means than a password: whoever runs this as a superuser says that it may.
      IF asker = 'codecompass_principal' AND list[i] !~ '(^| )password=' THEN
        EXECUTE format('ALTER USER MAPPING FOR %I SERVER %I OPTIONS (ADD password_required ''false'')', asker, shard);
      END IF;
    END LOOP;
    EXECUTE format('CREATE SCHEMA %I', shard);
    EXECUTE format('IMPORT FOREIGN SCHEMA codecompass EXCEPT (principal, principal_glob, access) FROM SERVER %I INTO %I', shard, shard);
    -- Whether the shard answers at all.
    EXECUTE format('CREATE VIEW codecompass.%I AS SELECT 1 AS answers FROM %I.migration LIMIT 1', 'look_' || shard, shard);
  END LOOP;

  -- Who is bound by what a principal may see; superusers are in every role.
  CREATE FUNCTION codecompass.is_bound() RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $f$
    SELECT EXISTS (SELECT 1 FROM pg_roles r, pg_roles p WHERE r.rolname = current_user AND NOT r.rolsuper
      AND p.rolname = 'codecompass_principal' AND pg_has_role(r.oid, p.oid, 'USAGE')) $f$;
  IF guarded THEN
    -- Outside of what is made anew each time.
    CREATE SCHEMA IF NOT EXISTS codecompass_access;
    CREATE TABLE IF NOT EXISTS codecompass_access.principal (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE,
      token_hash bytea NOT NULL UNIQUE, created_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz);
    CREATE TABLE IF NOT EXISTS codecompass_access.principal_glob (
      principal integer NOT NULL REFERENCES codecompass_access.principal ON DELETE CASCADE,
      glob text COLLATE "C" NOT NULL, PRIMARY KEY (principal, glob));
    CREATE VIEW codecompass.principal AS SELECT * FROM codecompass_access.principal;
    CREATE VIEW codecompass.principal_glob AS SELECT * FROM codecompass_access.principal_glob;
    -- As in a store: ** stands for any characters, * and ? stay inside one part of a name.
    CREATE FUNCTION codecompass.pattern_of(glob text) RETURNS text LANGUAGE sql IMMUTABLE STRICT
      AS $f$ SELECT '^' || replace(replace(replace(replace(regexp_replace(glob, '([].[^$|(){}+\\])', '\\\1', 'g'),
        '**', chr(1)), '*', '[^/]*'), '?', '[^/]'), chr(1), '.*') || '$' $f$;
    -- As in a store: the setting is a secret, the hash of a token, and the table keeps a hash of the secret. Principals of
    -- a release before were kept by the hash of their token.
    IF NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'codecompass_access.principal'::regclass AND attname = 'is_secret') THEN
      ALTER TABLE codecompass_access.principal ADD COLUMN is_secret boolean NOT NULL DEFAULT true;
      UPDATE codecompass_access.principal SET token_hash = sha256(convert_to(encode(token_hash, 'hex'), 'UTF8'));
    END IF;
    CREATE FUNCTION codecompass.principal_of(secret text) RETURNS integer LANGUAGE sql STABLE
      SECURITY DEFINER SET search_path = pg_catalog, pg_temp
      AS $f$ SELECT p.id FROM codecompass_access.principal p
        WHERE p.token_hash = sha256(convert_to(secret, 'UTF8')) AND (p.expires_at IS NULL OR p.expires_at > now()) $f$;
    CREATE FUNCTION codecompass.trigram_condition(plan jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE
      SET search_path = pg_catalog, pg_temp AS $f$
    DECLARE
      every boolean := plan ->> 'op' = 'and';
      own integer[] := ARRAY(SELECT value::integer FROM jsonb_array_elements_text(coalesce(plan -> 'has', '[]')));
      all_of text[] := ARRAY(SELECT codecompass.trigram_condition(value) FROM jsonb_array_elements(coalesce(plan -> 'parts', '[]')));
    BEGIN
      IF own <> '{}' THEN
        all_of := all_of || format('f.trigrams %s %L::integer[]', CASE WHEN every THEN '@>' ELSE '&&' END, own);
      END IF;
      IF all_of = '{}' THEN RETURN CASE WHEN every THEN 'true' ELSE 'false' END; END IF;
      RETURN '(' || array_to_string(all_of, CASE WHEN every THEN ' AND ' ELSE ' OR ' END) || ')';
    END $f$;
  END IF;

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
      CONTINUE WHEN found.name = 'blob';
      EXECUTE format('CREATE VIEW codecompass.%I AS SELECT * FROM shard0.%I', found.name, found.name);
    END IF;
  END LOOP;

  IF guarded THEN
    CREATE FUNCTION codecompass.seen() RETURNS SETOF integer LANGUAGE plpgsql STABLE ROWS 100
      SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
    BEGIN
      RETURN QUERY SELECT DISTINCT r.id FROM codecompass_access.principal p
        JOIN codecompass_access.principal_glob g ON g.principal = p.id
        JOIN codecompass.repository r ON coalesce(r.name, r.key) ~ codecompass.pattern_of(g.glob)
        WHERE p.id = codecompass.principal_of(nullif(current_setting('codecompass.principal', true), ''));
    END $f$;
    CREATE VIEW codecompass.access AS SELECT DISTINCT g.principal, r.id AS repo FROM codecompass_access.principal_glob g
      JOIN codecompass.repository r ON coalesce(r.name, r.key) ~ codecompass.pattern_of(g.glob);
    FOR found IN SELECT c.relname AS name FROM pg_class c
      WHERE c.relnamespace = 'codecompass'::regnamespace AND c.relkind = 'p'
    LOOP
      EXECUTE format('ALTER TABLE codecompass.%I ENABLE ROW LEVEL SECURITY', found.name);
      EXECUTE format('CREATE POLICY everybody ON codecompass.%I USING (true)', found.name);
      EXECUTE format('CREATE POLICY principal ON codecompass.%I AS RESTRICTIVE TO codecompass_principal
        USING (%I IN (SELECT codecompass.seen()))', found.name, CASE found.name WHEN 'repository' THEN 'id' ELSE 'repo' END);
    END LOOP;
  END IF;
  SELECT string_agg(format('SELECT b.key, b.bytes FROM shard%s.blob b WHERE %s', n - 1, CASE WHEN guarded THEN
      format('NOT codecompass.is_bound() OR EXISTS (SELECT 1 FROM shard%s.holding h WHERE h.key = b.key
        AND h.repo IN (SELECT codecompass.seen()))', n - 1) ELSE 'true' END), ' UNION ALL ')
    INTO parts FROM generate_series(1, cardinality(list)) n;
  EXECUTE format('CREATE VIEW codecompass.blob WITH (security_barrier = %s) AS %s', guarded, parts);

  -- What the others hold while one is away: an engine asks all or none, so servers ask these instead, and say what is missing.
  FOR i IN 1 .. CASE cardinality(list) WHEN 1 THEN 0 ELSE cardinality(list) END LOOP
    rest := format('without_shard%s', i - 1);
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', rest);
    EXECUTE format('CREATE SCHEMA %I', rest);
    IF guarded THEN
      SELECT string_agg(format('SELECT id, key, name FROM shard%s.repository', n - 1), ' UNION ALL ') INTO parts
        FROM generate_series(1, cardinality(list)) n WHERE n <> i;
      EXECUTE format($g$CREATE FUNCTION %I.seen() RETURNS SETOF integer LANGUAGE plpgsql STABLE ROWS 100
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
      BEGIN
        RETURN QUERY SELECT DISTINCT r.id FROM codecompass_access.principal p
          JOIN codecompass_access.principal_glob g ON g.principal = p.id
          JOIN (%s) r ON coalesce(r.name, r.key) ~ codecompass.pattern_of(g.glob)
          WHERE p.id = codecompass.principal_of(nullif(current_setting('codecompass.principal', true), ''));
      END $f$ $g$, rest, parts);
    END IF;
    FOR found IN
      SELECT c.relname AS name, (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid
          AND a.attname = CASE c.relname WHEN 'repository' THEN 'id' ELSE 'repo' END) AS owner
        FROM pg_class c WHERE c.relnamespace = 'shard0'::regnamespace AND c.relkind = 'f'
    LOOP
      SELECT string_agg(format('SELECT t.* FROM shard%s.%I t WHERE %s', n - 1, found.name, CASE
            WHEN NOT guarded OR found.name = 'migration' THEN 'true'
            WHEN found.name = 'blob' THEN format('NOT codecompass.is_bound() OR EXISTS (SELECT 1 FROM shard%s.holding h
              WHERE h.key = t.key AND h.repo IN (SELECT %I.seen()))', n - 1, rest)
            ELSE format('NOT codecompass.is_bound() OR t.%I IN (SELECT %I.seen())', found.owner, rest) END), ' UNION ALL ')
        INTO parts FROM generate_series(1, cardinality(list)) n
        WHERE n <> i AND (found.owner IS NOT NULL OR found.name = 'blob' OR n = CASE i WHEN 1 THEN 2 ELSE 1 END);
      -- Without a barrier whatever a caller writes is run on rows that are hidden from it: an error prints them.
      EXECUTE format('CREATE VIEW %I.%I WITH (security_barrier = %s) AS %s', rest, found.name, guarded, parts);
    END LOOP;
  END LOOP;

  -- Operators that find words and trigrams are not trusted with rows that a policy may hide: principals ask these instead.
  FOR found IN SELECT nspname AS name FROM pg_namespace WHERE guarded AND nspname ~ '^(codecompass|without_shard\d+)$' LOOP
    EXECUTE format($g$
      CREATE FUNCTION %1$I.found_by_words(queries text[], repos integer[])
        RETURNS TABLE (look bigint, repo integer, version bigint) LANGUAGE plpgsql STABLE
        SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
      BEGIN
        RETURN QUERY SELECT k.look, m.repo, m.version FROM unnest(queries) WITH ORDINALITY AS k (query, look)
          CROSS JOIN LATERAL (SELECT f.repo, f.version FROM %1$I.findable f WHERE f.words @@ k.query::tsquery
            AND f.repo IN (SELECT %1$I.seen()) AND (repos IS NULL OR f.repo = ANY (repos)) OFFSET 0) m;
      END $f$;
      CREATE FUNCTION %1$I.found_by_trigrams(plan jsonb, repos integer[], most integer)
        RETURNS TABLE (repo integer, version bigint, files smallint, run bigint, run_files integer, run_places smallint)
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
      BEGIN
        RETURN QUERY EXECUTE 'SELECT f.repo, f.version, f.files, f.run, f.run_files, f.run_places FROM %1$I.findable f WHERE '
          || codecompass.trigram_condition(plan) || ' AND f.repo IN (SELECT %1$I.seen())'
          || CASE WHEN repos IS NULL THEN '' ELSE ' AND f.repo = ANY ($2)' END || ' LIMIT $1' USING most, repos;
      END $f$ $g$, found.name);
  END LOOP;

  FOR found IN SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^(codecompass|(without_)?shard\d+)$' LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', found.name, reader);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', found.name, reader);
    -- Never what lies on the shards itself: nothing would bind a principal there.
    IF guarded AND found.name !~ '^shard' THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO codecompass_principal', found.name);
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO codecompass_principal', found.name);
      EXECUTE format('REVOKE ALL ON %I.findable FROM codecompass_principal', found.name);
    END IF;
  END LOOP;
  IF guarded THEN
    REVOKE ALL ON codecompass.principal, codecompass.principal_glob, codecompass.access FROM codecompass_principal;
    IF reader <> current_user THEN
      EXECUTE format('REVOKE ALL ON codecompass.principal, codecompass.principal_glob, codecompass.access FROM %I', reader);
    END IF;
    GRANT SELECT, INSERT, UPDATE, DELETE ON codecompass.principal, codecompass.principal_glob TO codecompass_admin;
    GRANT SELECT ON codecompass.access TO codecompass_admin;
    GRANT USAGE ON SCHEMA codecompass TO codecompass_admin;
  END IF;
END $$;
COMMIT;

/**
 * Who may see which repositories, as tables and policies. A principal is known by the hash of its token and sees the
 * repositories that its globs name; `access` is computed from both, by triggers, so that a policy is one look.
 *
 * Policies that bind are those of a role, and roles belong to the whole server: `roles.ts` creates them with the
 * first principal. Until then every user of a table sees all of it.
 */

/** What a transaction becomes for a principal: it reads what the principal may see, and nothing else. */
export const PRINCIPAL_ROLE = "codecompass_principal";

/** Tables whose rows carry the repository they belong to. What is added later is added to this list and to `LATER`. */
export const OF_A_REPOSITORY: readonly string[] =
  `epoch lease job use view publication view_entry file_version holding vectors
  segment segment_part findable mask stamped_tree stamp view_pack`.split(/\s+/);
/** Not there yet when the first step guards the tables. */
const LATER = ["view_pack"];

/** The others that principals read: a repository is its own, a blob belongs to those who hold it. */
export const GUARDED: readonly string[] = ["repository", "blob", ...OF_A_REPOSITORY];

/** Run with the rights of the tables' owner: the caller's search path decides nothing. */
export const AS_OWNER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp";

/**
 * The setting `codecompass.principal` is a secret, which no user of the login can guess. The table holds its hash, so its
 * content opens nothing, and a lookup by a hash tells nothing by its duration. Release 0.1.0 stored the secret itself.
 */
export const SECRET = `
UPDATE codecompass.principal SET token_hash = sha256(convert_to(encode(token_hash, 'hex'), 'UTF8'));
DROP FUNCTION IF EXISTS codecompass.principal_of(bytea);
CREATE FUNCTION codecompass.principal_of(secret text) RETURNS integer LANGUAGE sql STABLE ${AS_OWNER}
  AS $$ SELECT p.id FROM codecompass.principal p
    WHERE p.token_hash = sha256(convert_to(secret, 'UTF8')) AND (p.expires_at IS NULL OR p.expires_at > now()) $$;
CREATE OR REPLACE FUNCTION codecompass.seen() RETURNS SETOF integer LANGUAGE plpgsql STABLE ROWS 100 ${AS_OWNER} AS $$
DECLARE
  queryable integer;
  one text := nullif(current_setting('codecompass.repository', true), '');
  several integer[] := nullif(current_setting('codecompass.repositories', true), '')::integer[];
BEGIN
  -- As principal_of, which is not called: that takes longer than the lookup, for every table of every statement.
  SELECT p.id INTO queryable FROM codecompass.principal p
    WHERE p.token_hash = sha256(convert_to(current_setting('codecompass.principal', true), 'UTF8'))
      AND (p.expires_at IS NULL OR p.expires_at > now());
  IF queryable IS NULL THEN RETURN; END IF;
  IF one IS NOT NULL THEN
    RETURN QUERY SELECT a.repo FROM codecompass.repository r JOIN codecompass.access a ON a.repo = r.id
      WHERE (r.key = one OR r.name = one) AND a.principal = queryable;
  ELSIF several IS NOT NULL THEN
    RETURN QUERY SELECT a.repo FROM codecompass.access a WHERE a.principal = queryable AND a.repo = ANY (several);
  ELSE
    RETURN QUERY SELECT a.repo FROM codecompass.access a WHERE a.principal = queryable;
  END IF;
END $$;
`;

/**
 * What principals find words and trigrams with. Their operators are not leakproof, so the engine uses no index below a policy
 * or a security barrier, and a plain view would run what the caller writes on hidden rows. Functions run these statements only.
 */
export const FOUND_BY = `
DROP VIEW IF EXISTS codecompass.found;
CREATE FUNCTION codecompass.found_by_words(queries text[], repos integer[])
  RETURNS TABLE (look bigint, repo integer, version bigint) LANGUAGE plpgsql STABLE ${AS_OWNER} AS $$
BEGIN
  IF repos IS NULL THEN
    RETURN QUERY SELECT k.look, m.repo, m.version FROM unnest(queries) WITH ORDINALITY AS k (query, look)
      CROSS JOIN LATERAL (SELECT f.repo, f.version FROM codecompass.findable f
        WHERE f.words @@ k.query::tsquery AND f.repo IN (SELECT codecompass.seen()) OFFSET 0) m;
  ELSE
    RETURN QUERY SELECT k.look, m.repo, m.version FROM unnest(queries) WITH ORDINALITY AS k (query, look)
      CROSS JOIN LATERAL (SELECT f.repo, f.version FROM codecompass.findable f
        WHERE f.words @@ k.query::tsquery AND f.repo IN (SELECT codecompass.seen()) AND f.repo = ANY (repos) OFFSET 0) m;
  END IF;
END $$;

-- A plan is {"op": "and" | "or", "has": trigrams, "parts": plans}.
CREATE FUNCTION codecompass.trigram_condition(plan jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE
  SET search_path = pg_catalog, pg_temp AS $$
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
END $$;

CREATE FUNCTION codecompass.found_by_trigrams(plan jsonb, repos integer[], most integer)
  RETURNS TABLE (repo integer, version bigint, files smallint, run bigint, run_files integer, run_places smallint)
  LANGUAGE plpgsql STABLE ${AS_OWNER} AS $$
DECLARE
  bunches text;
BEGIN
  IF repos IS NULL AND plan ->> 'op' = 'and' AND plan -> 'parts' = '[]' THEN
    -- The most common shape is planned once a connection: over all partitions that takes longer than the lookup.
    RETURN QUERY SELECT f.repo, f.version, f.files, f.run, f.run_files, f.run_places FROM codecompass.findable f
      WHERE f.trigrams @> ARRAY(SELECT value::integer FROM jsonb_array_elements_text(plan -> 'has'))
        AND f.repo IN (SELECT codecompass.seen()) LIMIT most;
    RETURN;
  END IF;
  bunches := 'SELECT f.repo, f.version, f.files, f.run, f.run_files, f.run_places FROM codecompass.findable f WHERE '
    || codecompass.trigram_condition(plan);
  IF repos IS NULL THEN
    RETURN QUERY EXECUTE bunches || ' AND f.repo IN (SELECT codecompass.seen()) LIMIT $1' USING most;
  ELSE
    RETURN QUERY EXECUTE 'SELECT m.* FROM (SELECT k.repo FROM unnest($2) AS k (repo)
        WHERE k.repo IN (SELECT codecompass.seen())) AS k
      CROSS JOIN LATERAL (' || bunches || ' AND f.repo = k.repo OFFSET 0) m LIMIT $1' USING most, repos;
  END IF;
END $$;
`;

/**
 * What principals read content through. A data node evaluates a condition before the policies of the store do, and its error
 * would reveal a hidden row. A security barrier passes on leakproof conditions only, such as equality.
 */
export const READABLE_CONTENT = `
CREATE OR REPLACE VIEW codecompass.readable_blob WITH (security_barrier) AS SELECT b.* FROM codecompass.blob b
  WHERE EXISTS (SELECT 1 FROM codecompass.holding h WHERE h.key = b.key AND h.repo / 1000000 = b.node
      AND h.repo IN (SELECT codecompass.seen()));
CREATE OR REPLACE VIEW codecompass.readable_segment_part WITH (security_barrier) AS SELECT p.* FROM codecompass.segment_part p
  WHERE p.repo IN (SELECT codecompass.seen());
-- Whether a data node answers: reads nothing, since no repository has this number.
CREATE FUNCTION codecompass.probe_node(node integer) RETURNS void LANGUAGE plpgsql STABLE ${AS_OWNER} AS $$
BEGIN
  PERFORM 1 FROM codecompass.segment_part p WHERE p.repo = node * 1000000;
END $$;
`;

/** An arbitrary number. A principal may get a glob while the repository that it names is created. */
const ACCESS_LOCK = 0x43434143;

export const ACCESS_TABLES = `
CREATE TABLE codecompass.principal (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz
);
CREATE TABLE codecompass.principal_glob (
  principal integer NOT NULL REFERENCES codecompass.principal ON DELETE CASCADE,
  glob text COLLATE "C" NOT NULL,
  PRIMARY KEY (principal, glob)
);
CREATE TABLE codecompass.access (
  principal integer NOT NULL REFERENCES codecompass.principal ON DELETE CASCADE,
  repo integer NOT NULL,
  PRIMARY KEY (principal, repo)
);
CREATE INDEX access_by_repo ON codecompass.access (repo);

-- As everywhere: ** matches any characters, * and ? stay inside one part of a name.
CREATE FUNCTION codecompass.pattern_of(glob text) RETURNS text LANGUAGE sql IMMUTABLE STRICT
  AS $$ SELECT '^' || replace(replace(replace(replace(regexp_replace(glob, '([].[^$|(){}+\\\\])', '\\\\\\1', 'g'),
    '**', chr(1)), '*', '[^/]*'), '?', '[^/]'), chr(1), '.*') || '$' $$;

CREATE FUNCTION codecompass.note_repository() RETURNS trigger LANGUAGE plpgsql ${AS_OWNER} AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN DELETE FROM codecompass.access WHERE repo = OLD.id; END IF;
  IF TG_OP = 'DELETE' THEN RETURN NULL; END IF;
  PERFORM pg_advisory_xact_lock_shared(${ACCESS_LOCK});
  INSERT INTO codecompass.access (principal, repo) SELECT DISTINCT g.principal, NEW.id
    FROM codecompass.principal_glob g WHERE coalesce(NEW.name, NEW.key) ~ codecompass.pattern_of(g.glob);
  RETURN NULL;
END $$;
CREATE TRIGGER note_repository AFTER INSERT OR DELETE OR UPDATE OF name ON codecompass.repository
  FOR EACH ROW EXECUTE FUNCTION codecompass.note_repository();

CREATE FUNCTION codecompass.note_glob() RETURNS trigger LANGUAGE plpgsql ${AS_OWNER} AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(${ACCESS_LOCK});
  INSERT INTO codecompass.access (principal, repo) SELECT NEW.principal, r.id
    FROM codecompass.repository r WHERE coalesce(r.name, r.key) ~ codecompass.pattern_of(NEW.glob)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_glob AFTER INSERT ON codecompass.principal_glob
  FOR EACH ROW EXECUTE FUNCTION codecompass.note_glob();

${GUARDED.filter((table) => !LATER.includes(table))
  .map(guarded)
  .join("\n")}
`;

export function guarded(table: string): string {
  return `ALTER TABLE codecompass.${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY everybody ON codecompass.${table} USING (true) WITH CHECK (true);`;
}

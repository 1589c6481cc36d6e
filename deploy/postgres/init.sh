#!/bin/sh
# Creates the database and its users. Run it as a superuser, with psql 15 or newer; run it again to set other passwords:
#   PGHOST=… PGUSER=postgres OWNER_PASSWORD=… INGEST_PASSWORD=… SERVER_PASSWORD=… GUESTS_PASSWORD=… sh init.sh
# (the official image runs it by itself when it lies in /docker-entrypoint-initdb.d).
#
#   codecompass_owner    owns the tables: `codecompass migrate` and `codecompass principals`
#   codecompass_indexer  writes indexes, and owns nothing: for CI
#   codecompass_server   reads every index: for servers with one token
#   codecompass_guests   reads what the principal of a request may see, and nothing otherwise: for --access principals
set -eu
: "${OWNER_PASSWORD:?}" "${INGEST_PASSWORD:?}" "${SERVER_PASSWORD:?}" "${GUESTS_PASSWORD:?}"
export OWNER_PASSWORD INGEST_PASSWORD SERVER_PASSWORD GUESTS_PASSWORD
# Passwords are read from the environment: everybody can see a command line.
psql -X -q -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-${PGUSER:-postgres}}" --dbname postgres <<'SQL'
\getenv owner OWNER_PASSWORD
\getenv indexer INGEST_PASSWORD
\getenv server SERVER_PASSWORD
\getenv guests GUESTS_PASSWORD
SET client_min_messages = warning;
SELECT format('CREATE ROLE %I LOGIN', name) FROM unnest(ARRAY['codecompass_owner', 'codecompass_indexer',
    'codecompass_server', 'codecompass_guests']) AS name
  WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) \gexec
-- `codecompass migrate` grants these their rights; `codecompass principals sql` prints them.
SELECT format('CREATE ROLE %I NOLOGIN', name) FROM unnest(ARRAY['codecompass_admin', 'codecompass_ingest',
    'codecompass_read', 'codecompass_principal']) AS name
  WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) \gexec
ALTER ROLE codecompass_owner PASSWORD :'owner';
ALTER ROLE codecompass_indexer PASSWORD :'indexer';
ALTER ROLE codecompass_server PASSWORD :'server';
ALTER ROLE codecompass_guests PASSWORD :'guests';
-- An ingest may see every row anyway; the engine takes no COPY from a user that policies apply to.
ALTER ROLE codecompass_indexer BYPASSRLS;
GRANT codecompass_ingest TO codecompass_indexer;
GRANT codecompass_read TO codecompass_server;
-- A member of nothing else: without a principal it sees no row.
GRANT codecompass_principal TO codecompass_guests;
-- Set here and not by the client: a pooler does not pass it on.
ALTER ROLE codecompass_server SET statement_timeout = '60s';
ALTER ROLE codecompass_guests SET statement_timeout = '60s';
SELECT 'CREATE DATABASE codecompass OWNER codecompass_owner ENCODING ''UTF8'' TEMPLATE template0'
  WHERE NOT EXISTS (SELECT 1 FROM pg_database WHERE datname = 'codecompass') \gexec
REVOKE ALL ON DATABASE codecompass FROM PUBLIC;
GRANT CONNECT ON DATABASE codecompass TO codecompass_indexer, codecompass_server, codecompass_guests;
\connect codecompass
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
-- Every login could fill the disk with large objects, and hold the locks that migrations and new repositories take.
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure) FROM pg_proc
  WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^(lo_(creat|create|from_bytea|put)|lowrite|pg_(try_)?advisory_.*lock.*)$' \gexec
GRANT EXECUTE ON FUNCTION pg_advisory_xact_lock(bigint), pg_advisory_xact_lock_shared(bigint) TO codecompass_owner;
SQL

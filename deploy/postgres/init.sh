#!/bin/sh
# Makes the database and its two users: `ingest` owns the tables and writes them, `server` only reads. Run once, as a
# superuser: PGHOST=… PGUSER=postgres INGEST_PASSWORD=… SERVER_PASSWORD=… sh init.sh
# (the official image runs it by itself when it lies in /docker-entrypoint-initdb.d).
set -eu
: "${INGEST_PASSWORD:?}" "${SERVER_PASSWORD:?}"
psql -X -q -v ON_ERROR_STOP=1 -v ingest="$INGEST_PASSWORD" -v server="$SERVER_PASSWORD" \
  --username "${POSTGRES_USER:-${PGUSER:-postgres}}" --dbname postgres <<'SQL'
CREATE ROLE ingest LOGIN PASSWORD :'ingest';
CREATE ROLE server LOGIN PASSWORD :'server';
CREATE DATABASE codecompass OWNER ingest ENCODING 'UTF8' TEMPLATE template0;
-- Said here and not by the client: a pooler does not pass it on.
ALTER ROLE server SET statement_timeout = '60s';
\connect codecompass
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
-- Whatever `ingest` makes, `server` may read.
ALTER DEFAULT PRIVILEGES FOR ROLE ingest GRANT USAGE ON SCHEMAS TO server;
ALTER DEFAULT PRIVILEGES FOR ROLE ingest GRANT SELECT ON TABLES TO server;
SQL

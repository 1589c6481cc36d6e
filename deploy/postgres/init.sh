#!/bin/sh
# Makes the database and its users. Run once, as a superuser, with psql 15 or newer:
#   PGHOST=… PGUSER=postgres INGEST_PASSWORD=… SERVER_PASSWORD=… GUESTS_PASSWORD=… sh init.sh
# (the official image runs it by itself when it lies in /docker-entrypoint-initdb.d).
#
#   ingest   owns the tables: writes indexes, brings the tables up to date, says who may see what
#   server   reads every index: for servers with one token
#   guests   reads what the principal may see whose question it is, and nothing otherwise: for --access principals
set -eu
: "${INGEST_PASSWORD:?}" "${SERVER_PASSWORD:?}" "${GUESTS_PASSWORD:?}"
export INGEST_PASSWORD SERVER_PASSWORD GUESTS_PASSWORD
# Passwords are read from the environment: a command line is everybody's to see.
psql -X -q -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-${PGUSER:-postgres}}" --dbname postgres <<'SQL'
\getenv ingest INGEST_PASSWORD
\getenv server SERVER_PASSWORD
\getenv guests GUESTS_PASSWORD
CREATE ROLE ingest LOGIN PASSWORD :'ingest';
-- What these may do is granted by the first index, which makes the tables; `codecompass principals sql` shows it.
SELECT format('CREATE ROLE %I NOLOGIN', name) FROM unnest(ARRAY['codecompass_admin', 'codecompass_ingest',
    'codecompass_read', 'codecompass_principal']) AS name
  WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) \gexec
CREATE ROLE server LOGIN PASSWORD :'server' IN ROLE codecompass_read;
-- A member of codecompass_principal and of nothing else: without a principal it sees no row.
CREATE ROLE guests LOGIN PASSWORD :'guests' IN ROLE codecompass_principal;
-- Said here and not by the client: a pooler does not pass it on.
ALTER ROLE server SET statement_timeout = '60s';
ALTER ROLE guests SET statement_timeout = '60s';
CREATE DATABASE codecompass OWNER ingest ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE codecompass FROM PUBLIC;
GRANT CONNECT ON DATABASE codecompass TO server, guests;
\connect codecompass
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
SQL

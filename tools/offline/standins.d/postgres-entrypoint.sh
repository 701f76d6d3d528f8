#!/usr/bin/env bash
# This script does the same as the entrypoint of the official image. The first start creates
# a database cluster from POSTGRES_USER, POSTGRES_PASSWORD and POSTGRES_DB (or POSTGRES_..._FILE), and runs the
# files in /docker-entrypoint-initdb.d.
set -Eeuo pipefail

if [ "${1:0:1}" = - ]; then set -- postgres "$@"; fi
if [ "$1" != postgres ]; then exec "$@"; fi

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown -R postgres:postgres "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$BASH" "$0" "$@"
fi

# value NAME [DEFAULT] prints the variable NAME, or the content of the file that NAME_FILE names.
value() {
  local file=$1_FILE
  if [ -n "${!file:-}" ]; then cat "${!file}"; else printf '%s' "${!1:-${2:-}}"; fi
}

initialize() {
  local user password database file
  user=$(value POSTGRES_USER postgres)
  password=$(value POSTGRES_PASSWORD)
  database=$(value POSTGRES_DB "$user")
  if [ -z "$password" ] && [ "${POSTGRES_HOST_AUTH_METHOD:-}" != trust ]; then
    echo 'Error: Database is uninitialized and superuser password is not specified.' >&2
    exit 1
  fi
  eval "initdb --username=\"\$user\" --pwfile=<(printf '%s\n' \"\$password\") ${POSTGRES_INITDB_ARGS:-}"
  printf '\nhost all all all %s\n' "${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}" >>"$PGDATA/pg_hba.conf"

  PGUSER=$user pg_ctl -D "$PGDATA" -o "-c listen_addresses='' -p 5432" -w start
  local run=(psql -v ON_ERROR_STOP=1 --no-psqlrc --username "$user" --no-password)
  if [ "$database" != postgres ]; then
    "${run[@]}" --dbname postgres --set db="$database" <<<'CREATE DATABASE :"db";'
  fi
  for file in /docker-entrypoint-initdb.d/*; do
    # shellcheck source=/dev/null
    case $file in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) "${run[@]}" --dbname "$database" -f "$file" ;;
      *.sql.gz) gunzip -c "$file" | "${run[@]}" --dbname "$database" ;;
    esac
  done
  PGUSER=$user pg_ctl -D "$PGDATA" -m fast -w stop
  printf '\nPostgreSQL init process complete; ready for start up.\n\n'
}

[ -s "$PGDATA/PG_VERSION" ] || initialize
exec "$@"

#!/bin/sh
# This script does the same as the entrypoint of the official image. Protected mode is off, because the
# official server is built without it.
set -e

if [ "${1#-}" != "$1" ] || [ "${1%.conf}" != "$1" ]; then set -- redis-server "$@"; fi
if [ "$1" != redis-server ]; then exec "$@"; fi

if [ "$(id -u)" = 0 ]; then
  find . ! -user redis -exec chown redis '{}' +
  exec setpriv --reuid=redis --regid=redis --init-groups "$0" "$@"
fi
umask 0077
exec "$@" --protected-mode no

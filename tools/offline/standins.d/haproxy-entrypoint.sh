#!/bin/sh
# Does what the official image's entrypoint does: starts haproxy in master-worker mode, in the foreground.
set -e

if [ "${1#-}" != "$1" ]; then set -- haproxy "$@"; fi
if [ "$1" = haproxy ]; then
  shift
  set -- haproxy -W -db "$@"
fi
exec "$@"

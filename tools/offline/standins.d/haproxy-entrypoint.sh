#!/bin/sh
# This script does the same as the entrypoint of the official image: it starts haproxy in
# master-worker mode, in the foreground.
set -e

if [ "${1#-}" != "$1" ]; then set -- haproxy "$@"; fi
if [ "$1" = haproxy ]; then
  shift
  set -- haproxy -W -db "$@"
fi
exec "$@"

#!/bin/sh
# As the official image's entrypoint: a master, in the foreground.
set -e

if [ "${1#-}" != "$1" ]; then set -- haproxy "$@"; fi
if [ "$1" = haproxy ]; then
  shift
  set -- haproxy -W -db "$@"
fi
exec "$@"

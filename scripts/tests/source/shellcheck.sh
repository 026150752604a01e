#!/bin/sh
# SPDX-License-Identifier: MIT
# For shellcheck(1), in the directory SOURCES: it has no warning about any shell script there.
set -eu
command -v shellcheck >/dev/null || { echo "skipped: no shellcheck"; exit 77; }
cd "$1"
list=$(mktemp)
trap 'rm -f "$list"' EXIT
# the build directories are not ours
find .ci calls cmds scripts shell uroce vtrace -type f -exec \
	grep -lE -m 1 '^#!/bin/(ba)?sh$|^#!/bin/busybox sh$|^# shellcheck shell=' {} + >"$list"
n=$(grep -c . "$list")
[ "$n" -gt 100 ] || { echo "only $n scripts found"; exit 1; }
xargs -P 2 -n 20 shellcheck --external-sources --source-path=SCRIPTDIR --severity=warning \
	--format=gcc <"$list"
echo "$n scripts"

#!/bin/bash
# SPDX-License-Identifier: MIT
# form.sh RDMASH: the form of scripts/examples/ and scripts/seeds/: each file is short,
# begins with its subject, has no mistake that -n finds, and is listed in a table. Needs no
# device.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/../..
failures=0

bad() {
	echo "not ok: $1"
	failures=$((failures + 1))
}

# form DIRECTORY LINES README: at most so many lines that are not blank
form() {
	local file name lines said
	for file in "$1"/*.rdma "$1"/lib/*.rdma; do
		name=${file#"$scripts/"}
		lines=$(grep -c '[^[:space:]]' "$file")
		[ "$lines" -le "$2" ] || bad "$name has $lines lines, more than $2: one subject each"
		[ "$lines" -ge 5 ] || bad "$name has only $lines lines"
		[ "$(head -c 2 "$file")" = '# ' ] || bad "$name does not begin with a comment"
		[ -z "$(awk 'length > 100' "$file")" ] || bad "$name has lines of more than 100 characters"
		case $name in */lib/*) continue ;; esac # they lean on those that source them
		said=$("$rdmash" -n "$file" 2>&1) || bad "rdmash -n $name: $said"
		grep -q "^|.*\`$(basename "$name" .rdma)\`" "$3" || bad "$3 does not have $name"
	done
}

form "$scripts/examples" 30 "$scripts/../docs/examples.md" # a learner reads one at a glance
form "$scripts/seeds" 70 "$scripts/seeds/README.md" # a whole program each
[ "$failures" = 0 ] && echo ok
exit $((failures > 0))

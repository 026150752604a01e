#!/bin/bash
# SPDX-License-Identifier: MIT
# example-form.sh RDMASH: the form of scripts/examples/: each file is short and begins with
# what it is about, has no mistake that -n finds, and README.md tells of it. Needs no device.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../examples
most=30 # lines that are not blank: a learner reads one at a glance
failures=0

bad() {
	echo "not ok: $1"
	failures=$((failures + 1))
}

for file in "$examples"/*.rdma "$examples"/lib/*.rdma; do
	name=${file#"$examples/"}
	lines=$(grep -c '[^[:space:]]' "$file")
	[ "$lines" -le "$most" ] || bad "$name has $lines lines, more than $most: one subject each"
	[ "$lines" -ge 5 ] || bad "$name has only $lines lines"
	[ "$(head -c 2 "$file")" = '# ' ] || bad "$name does not begin with a comment"
	[ -z "$(awk 'length > 100' "$file")" ] || bad "$name has lines of more than 100 characters"
	case $name in lib/*) continue ;; esac # they lean on those that source them
	said=$("$rdmash" -n "$file" 2>&1) || bad "rdmash -n $name: $said"
	grep -q "^|.*\`${name%.rdma}\`" "$here/../../README.md" || bad "README.md does not have $name"
done
[ "$failures" = 0 ] && echo ok
exit $((failures > 0))

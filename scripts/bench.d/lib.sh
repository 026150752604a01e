# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Sourced by the benchmarks: where things are, and medians.

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
top=${scripts%/*}
rdmash=${RDMASH:-$top/build/rdmash}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# column N FILE
column() { awk -v c="$1" '{ print $c }' "$2"; }

# wall COMMAND...: the milliseconds it took
wall() {
	local from=$EPOCHREALTIME

	"$@" >/dev/null 2>&1
	awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print (b - a) * 1000 }'
}

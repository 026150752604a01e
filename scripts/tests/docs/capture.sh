#!/bin/bash
# SPDX-License-Identifier: MIT
# capture.sh RDMASH PAGE: each filter of docs/capture.md finds packets in a capture with one
# packet of each kind, and each of its filters that do not work finds none.
set -u
rdmash=$1 page=$2
command -v tshark >/dev/null || { echo 'skipped: no tshark'; exit 77; }
command -v tcpdump >/dev/null || { echo 'skipped: no tcpdump'; exit 77; }
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
failures=0

"$rdmash" -q -X --allow-dir "$dir" -f /dev/stdin "$dir/all.pcapng" <<'EOF' || exit
notices off
set at [dict get [device] address]
capture start [lindex $argv 0]
reg 4096 -name window
reg 4096 -name buf
listen 7471 -share window -accept
connect $at 7471 -name c
set there [get id1 qp]
post write buf -len 13; poll
post read buf -len 13; poll
post recv window -qp $there
post write-imm buf -len 4 -imm 7; poll
post fetch-add buf -add 2; poll
post send buf -len 8
catch {poll -within 100}
post recv window -qp $there
poll -within 60s
post write buf -len 8 -at 5000
catch {poll}
disconnect c
capture stop
EOF

# filters SECTION: those of its table, a line each
filters() {
	awk -v section="## $1" '$0 == section { on = 1; next } /^## / { on = 0 } on && /^\| `/' "$page" |
		sed -E 's/^\| //; s/ \|[^|]*\|$//; s/\\\|/|/g' | grep -oE '`[^`]*`' | tr -d '`'
}
# How many packets each filter finds that comes from standard input: "N FILTER".
count_shown() {
	local all
	mapfile -t all
	paste -d ' ' <(tshark -q -r all.pcapng -z "io,stat,0$(printf ',%s' "${all[@]}")" 2>>errors |
		tr -d ' ' | awk -F '|' '/<>/ { for (i = 3; i < NF; i += 2) print $i }') \
		<(printf '%s\n' "${all[@]}")
}
count_each() {
	local filter
	while read -r filter; do
		echo "$("$@" "$filter" 2>>errors | wc -l) $filter"
	done
}
# finds SECTION none|some COUNT...
finds() {
	local n=0 filter count found
	while read -r count filter; do
		n=$((n + 1))
		[ "$count" = 0 ] && found=none || found=some
		[ "$found" = "$2" ] && continue
		echo "not ok: $1: $filter finds $count"
		failures=$((failures + 1))
	done < <(filters "$1" | "${@:3}")
	[ "$n" -ge 4 ] || { echo "not ok: $n filters in '$1'"; failures=$((failures + 1)); }
	echo "$n filters: $1"
}
# those of 'help filter' are among them
while read -r filter; do
	grep -qF "\`$filter\`" "$page" && continue
	echo "not ok: help filter: '$filter' is not in the page"
	failures=$((failures + 1))
done < <("$rdmash" -X -c 'help filter' | sed -nE 's/^ +((infiniband|udp)[^ ]*( ?[^ ]+)*)  +.*/\1/p')
[ "$("$rdmash" -X -c 'help filter' | grep -cE '^ +(infiniband|udp)')" = 7 ] ||
	{ echo 'not ok: help filter has no 7 filters'; failures=$((failures + 1)); }
finds 'Display filters' some count_shown
finds 'Capture filters' some count_each tcpdump -nr all.pcapng
finds 'Published filters that do not work' none count_each tshark -r all.pcapng -Y
[ "$failures" = 0 ] || cat errors
exit $((failures > 0))

#!/bin/bash
# SPDX-License-Identifier: MIT
# capture-page.sh RDMASH PAGE: each filter of docs/capture.md finds packets in a capture that has one
# of each kind, and those that it says do not work find none.
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
poll -within 10s
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
# found PROGRAM FILTER: how many packets
found() {
	case $1 in
	tshark) tshark -r all.pcapng -Y "$2" 2>errors | wc -l ;;
	tcpdump) tcpdump -nr all.pcapng "$2" 2>errors | wc -l ;;
	esac
}
# finds PROGRAM SECTION yes|no
finds() {
	local n=0 filter
	while read -r filter; do
		n=$((n + 1))
		if [ "$(found "$1" "$filter")" -gt 0 ]; then
			[ "$3" = yes ] && continue
		elif [ "$3" = no ]; then
			continue
		fi
		echo "not ok: $2: $filter ($(tail -1 errors))"
		failures=$((failures + 1))
	done < <(filters "$2")
	[ "$n" -ge 4 ] || { echo "not ok: $n filters in '$2'"; failures=$((failures + 1)); }
	echo "$n filters: $2"
}
finds tshark 'Display filters' yes
finds tcpdump 'Capture filters' yes
finds tshark 'Published filters that do not work' no
exit $((failures > 0))

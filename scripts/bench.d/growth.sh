#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bench growth: the time per item of 1,000 and of 100,000 of them, and the ratio.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

few=1000 many=${2:-100000} rounds=${1:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# timed BEFORE SCRIPT: the microseconds that SCRIPT takes after BEFORE
timed() {
	"$rdmash" --device uroce0 -q -c "$1" -c "set t0 [clock microseconds]
		$2
		puts [expr {[clock microseconds] - \$t0}]" 2>/dev/null | tail -n 1
}

# Each: the microseconds of N items.
made() { timed pd "for {set i 0} {\$i < $1} {incr i} {reg 1}"; }
destroyed() { timed "for {set i 0} {\$i < $1} {incr i} {reg 1}" 'destroy pd0 -cascade'; }
posted() {
	timed 'reg 4096 -name m; qp create -type UD -name q
		modify-qp INIT q -port 1 -pkey-index 0 -qkey 1; modify-qp RTR q
		modify-qp RTS q -sq-psn 0
		ah -dgid [dict get [lindex [gids] 0] gid] -pd pd0 -name h' \
		"for {set i 0} {\$i < $1} {incr i} {
			post send m -len 8 -ah h -qpn 1 -qkey 1; poll}"
}
lines() { # read before the first one runs: the whole program's time, but for its start
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "set x " i }' >"$dir/lines.rdma"
	: >"$dir/empty.rdma"
	echo "$(wall "$rdmash" "$dir/lines.rdma") $(wall "$rdmash" "$dir/empty.rdma")" |
		awk '{ print ($1 - $2) * 1000 }'
}
words() { timed '' "echo {*}[lrepeat $1 x]"; }

for what in made destroyed posted lines words; do
	for ((i = 0; i < rounds; i++)); do
		echo "$("$what" "$few") $("$what" "$many")" | awk -v m="$few" -v n="$many" \
			'{ print $1 / m, $2 / n, ($2 / n) / ($1 / m) }' >>"$dir/$what"
	done
	printf '%-10s %8.2f us each of %d  %8.2f us each of %d  ratio %.2f  (%d rounds)\n' \
		"$what" "$(column 1 "$dir/$what" | median)" "$few" \
		"$(column 2 "$dir/$what" | median)" "$many" \
		"$(column 3 "$dir/$what" | median)" "$rounds"
done

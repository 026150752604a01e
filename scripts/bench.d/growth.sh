#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bench growth: the time per item with 100 and with 1,000 items, and the ratio; and how long start-up takes.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

few=100 many=${2:-1000} rounds=${1:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# timed BEFORE SCRIPT: runs BEFORE, then SCRIPT; prints the microseconds that SCRIPT took
timed() {
	"$rdmash" --device uroce0 -q -c "$1" -c "set t0 [clock microseconds]
		$2
		puts [expr {[clock microseconds] - \$t0}]" 2>/dev/null | tail -n 1
}

# per N: the microseconds on standard input for each of N items
per() { awk -v n="$1" '{ print $1 / n }'; }

# Each of these prints the microseconds per item for N items.
each() { timed "$2" "for {set i 0} {\$i < $1} {incr i} {$3}" | per "$1"; }
made() { each "$1" pd 'reg 1'; }
destroyed() { timed "for {set i 0} {\$i < $1} {incr i} {reg 1}" 'destroy pd0 -cascade' | per "$1"; }
calls() { each "$1" 'pd; buf 64' 'call ibv_reg_mr pd0 buf0 8 LOCAL_WRITE'; }
ud='reg 4096 -name m; qp create -type UD -name q
	modify-qp INIT q -port 1 -pkey-index 0 -qkey 1; modify-qp RTR q
	modify-qp RTS q -sq-psn 0
	ah -dgid [dict get [lindex [gids] 0] gid] -pd pd0 -name h'
post='post send m -len 8 -ah h -dest-qpn 1 -qkey 1; poll'
posted() { each "$1" "$ud" "$post"; }
among() { # posts among N regions: half of them with memory of their own, half of them of the same memory
	timed "pd; for {set i 0} {\$i < $1 / 2} {incr i} {reg 1}
		buf 64; for {set i 0} {\$i < $1 / 2} {incr i} {call ibv_reg_mr pd0 buf0 8 LOCAL_WRITE}
		$ud" "for {set i 0} {\$i < $few} {incr i} {$post; post send m -len 8 -inline -ah h -dest-qpn 1 -qkey 1
			poll; post send -text text -ah h -dest-qpn 1 -qkey 1; poll}" | per "$few"
}
lines() { # all lines are read before the first one runs
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "set x " i }' >"$dir/lines.rdma"
	: >"$dir/empty.rdma" # creates the interpreter of the directory before the time is measured
	timed "source $dir/empty.rdma" "source $dir/lines.rdma" | per "$1"
}
words() { timed '' "echo {*}[lrepeat $1 x]" | per "$1"; }

for what in made destroyed calls posted among lines words; do
	for ((i = 0; i < rounds; i++)); do
		echo "$("$what" "$few") $("$what" "$many")" |
			awk '{ print $1, $2, $2 / $1 }' >>"$dir/$what"
	done
	printf '%-10s %8.2f us each of %d  %8.2f us each of %d  ratio %.2f  (%d rounds)\n' \
		"$what" "$(column 1 "$dir/$what" | median)" "$few" \
		"$(column 2 "$dir/$what" | median)" "$many" \
		"$(column 3 "$dir/$what" | median)" "$rounds"
done
for ((i = 0; i < rounds; i++)); do
	echo "$(wall ibv_devices) $(wall "$rdmash" -X -c '')" | awk '{ print $1, $2, $2 / $1 }' >>"$dir/start"
done
printf 'start-up   ibv_devices %.1f ms  rdmash %.1f ms  ratio %.2f\n' "$(column 1 "$dir/start" | median)" \
	"$(column 2 "$dir/start" | median)" "$(column 3 "$dir/start" | median)"

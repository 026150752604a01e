#!/bin/bash
# SPDX-License-Identifier: MIT
# repeats.sh VTRACE PROGRAM RDMASH: a SEND that is told 10,000 times and more to try again is a row with
# a count in vtrace --timeline and --report, too, and no call is lost for it. On uroce.
set -u
vtrace=$1 program=$2 rdmash=$3
. "$(dirname "$0")/rig.sh"

# How often the request of the program has been told to wait; 0: it is not there yet.
repeats() {
	local n
	n=$("$rdmash" -c "foreach {name o} [show -process $1] { if {[dict exists \$o rnrs]} { puts [dict get \$o rnrs] } }" \
		2>/dev/null | sort -n | tail -n 1)
	echo "${n:-0}"
}

"$UROCE" "$vtrace" --timeline --report "$work/report.html" -o "$work/said" "$program" 10.0.0.1 late \
	>"$work/out" 2>&1 &
tracer=$!
traced=
for _ in $(seq 1200); do
	traced=$(pgrep -P "$tracer" | tail -n 1)
	[ -n "$traced" ] && [ "$(repeats "$traced")" -ge 10000 ] && break
	kill -0 "$tracer" 2>/dev/null || break
	sleep 0.1
done
kill -USR1 "$traced"
wait "$tracer" || fail "exit status $?: $(tail -n 3 "$work/said")"
for row in ibv_create_qp 'INIT -(>|&gt;) RTR' ibv_post_send RC_SEND_ONLY ibv_post_recv 'WC wr_id 17 SUCCESS'; do
	for file in said report.html; do
		grep -Eq -- "$row" "$work/$file" || fail "$file has no '$row'"
	done
done
often=$(grep -oE '(these 2 rows|this row) [0-9]+ times more' "$work/said" | grep -oE '[0-9]{4,}' | sort -n | tail -n 1)
[ "${often:-0}" -ge 9990 ] || fail "the RNR NAKs are counted ${often:-0} times"
grep -q 'calls were lost' "$work/said" && fail "calls were lost"
[ "$(wc -l <"$work/said")" -lt 200 ] || fail "$(wc -l <"$work/said") lines"
[ "$(stat -c %s "$work/report.html")" -lt 200000 ] || fail "the report has $(stat -c %s "$work/report.html") bytes"
echo "$often repeats: $(wc -l <"$work/said") lines, a report of $(stat -c %s "$work/report.html") bytes"
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: MIT
# repeats.sh RDMASH: a SEND that waits for a receive, 10,000 times and more, is a row with a count in
# every view; no call, no state and no byte of the report is lost for it. On uroce.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
[ "${2-}" = inside ] || exec bash "$here/../on.sh" uroce bash "$0" "$rdmash" inside
failures=0
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT

bad() {
	echo "not ok: $*"
	failures=$((failures + 1))
}

cat > repeats.rdma << 'END'
timeline on
reg 4096 -name buf
listen 7471 -address 10.0.0.1 -accept; connect 10.0.0.1 7471 -rnr-retry 7
wait until {[get id2 state] eq "ESTABLISHED"}
modify-qp qp1 -min-rnr-timer 1
wire on
post send buf -len 5
while {[dict get [counters] send_rnr_err] + [dict get [counters] rcvd_rnr_err] < 20000} { sleep 20ms }
post recv buf -qp qp1
poll -within 30s
wire off
set often 0
foreach row [timeline] {
	set text [dict get $row text]
	if {[dict exists $row again] && [string match "*RNR NAK*" $text]} { incr often [dict get $row again] }
}
echo "often $often"
timeline
report report.html
export c session.c
END
"$rdmash" -X -f repeats.rdma > out 2> err || bad "exit status $?: $(tail -n 3 err)"
often=$(sed -n 's/^often //p' out)
[ "${often:-0}" -ge 9990 ] || bad "the RNR NAKs are counted $often times"
for row in 'rdma_create_id' 'CM REQ' 'rdma_accept' 'INIT -(>|&gt;) RTS' 'ibv_post_send' 'RC_SEND_ONLY' \
	'(these 2 rows|this row) [0-9]+ times more, until [0-9]' 'ibv_post_recv' 'WC wr_id 1 SUCCESS'; do
	grep -Eq -- "$row" out || bad "the timeline has no '$row'"
	grep -Eq -- "$row" report.html || bad "the report has no '$row'"
done
[ "$(wc -l < out)" -lt 100 ] || bad "the timeline has $(wc -l < out) lines"
[ "$(stat -c %s report.html)" -lt 200000 ] || bad "the report has $(stat -c %s report.html) bytes"
for call in rdma_connect rdma_accept ibv_post_send ibv_post_recv; do
	grep -q "$call(" session.c || bad "session.c has no $call"
done
grep -q 'wire .*\.\.\. [0-9]* times more: -> .*RC_SEND_ONLY' err || bad "wire on has not counted"
# of over 40,000 packets; a line comes now and then, so a slow machine has more of them
[ "$(grep -c '^\* wire' err)" -lt 4000 ] || bad "wire on has written $(grep -c '^\* wire' err) lines"
exit $((failures != 0))

#!/bin/bash
# SPDX-License-Identifier: MIT
# timeline.sh RDMASH [DIR]: the timeline of a write and a read has the right rows, in order, as
# text, drawing and page; two processes; text from hostile peers is never interpreted. On uroce.
# With DIR the pages are kept there.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
if [ "${2-}" != inside ]; then
	exec bash "$here/../on.sh" uroce bash "$0" "$rdmash" inside "${2-}"
fi
failures=0
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
cp "$here"/timeline*.rdma .
export LC_ALL=C.UTF-8

bad() {
	echo "not ok: $*"
	failures=$((failures + 1))
}

# follows FILE REGEXP...: each is in a line of its own below the one before
follows() {
	local file=$1 at=0 line
	shift
	for re in "$@"; do
		line=$(tail -n +$((at + 1)) "$file" | grep -nE -m 1 -- "$re" | cut -d: -f1)
		[ -n "$line" ] || { bad "$file: no '$re' after line $at"; return; }
		at=$((at + line))
	done
}

well_formed() {
	command -v xmllint > /dev/null || { echo "no xmllint: the form is not checked"; return; }
	xmllint --nonet --noout "$@" || bad "not well-formed: $*"
}

# page FILE: nothing in it loads or runs anything but its own script; what it shows is in FILE.txt
page() {
	python3 "$here/../view/page.py" "$1" > "$1.txt" || bad "$1"
}

"$rdmash" -X -f timeline.rdma > out 2>&1 || bad "exit status $?: $(cat out)"
follows out 'client: .*server: ' \
	'rdma_connect id1' '│─+ CM REQ ─+▶│' '• id2 CONNECT_REQUEST' 'rdma_accept id2' \
	'│◀─+ CM REP ─+│' '│─+ CM RTU ─+▶│' 'id1 ESTABLISHED' '● qp0 INIT -> RTS' \
	'ibv_post_send qp0 .wr_id 1 ' '│─+ RC_WRITE_ONLY psn [0-9]+ 17 B ─+▶│' \
	'│◀─+ RC_ACK psn [0-9]+ ─+│' '✓ WC wr_id 1 SUCCESS RDMA_WRITE' \
	'RC_READ_REQUEST psn [0-9]+ ─+▶' '◀─+ RC_READ_RESP_ONLY psn [0-9]+ 17 B' \
	'✓ WC wr_id 2 SUCCESS RDMA_READ' 'rdma_disconnect id1' '─ CM DREQ ─+▶│' '│◀─+ CM DREP ─'
write=$(sed -En 's/.*RC_WRITE_ONLY psn ([0-9]+) .*/\1/p' out | head -1)
grep -q "RC_ACK psn $write " out || bad "the ACK has not the PSN of the write, $write"
# a name that was given again stands above one line only
"$rdmash" -c 'timeline on; listen 7473 -accept -address 127.0.0.1; connect 127.0.0.1 7473; disconnect id1
	wait until {![dict exists [show] id2]}; connect 127.0.0.1 7473; timeline -all' 2> /dev/null > again
twice=$(grep -m 1 'client: .*server: ' again | tr ' ' '\n' | grep -E '^(id|qp)[0-9]' | sort | uniq -d)
{ [ -z "$twice" ] && grep -q 'client: .*id2.*server: .*id3' again; } ||
	bad "names above both lines: $twice $(grep client: again)"
# the client is on the left, the server on the right of its line
grep -Eq '^ +[0-9.]+ +│ +rdma_connect' out || bad "rdma_connect is not in the left lane"
grep -Eq '^ +[0-9.]+ +│ +│ +rdma_accept' out || bad "rdma_accept is not in the right lane"
! grep -q $'\033' out || bad "colours without a terminal"

# earlier than the connection, and left out; a page has everything
follows out '^  earlier │  ibv_reg_mr pd0 second' '^ +0\.000 │  rdma_create_id' \
	'^\([0-9]+ older rows are left out; all: timeline -all\)$'
page whole.html
[ "$(grep -c '^row: .* rdma_connect id' whole.html.txt)" -gt 1 ] || bad "whole.html has one connection only"
# what failed again and again is one item
"$rdmash" -c 'timeline on; listen 7474 -accept -address 127.0.0.1; connect 127.0.0.1 7474; reg 64 -name buf
	modify-qp qp1 -min-rnr-timer 1; post send buf
	wait until {[dict get [counters] send_rnr_err] + [dict get [counters] rcvd_rnr_err] >= 8} -within 20s
	report rnr.html' > rnr 2>&1 || bad "no receive at the peer: $(cat rnr)"
page rnr.html
grep -q '^again: .* times* more, until' rnr.html.txt ||
	bad "a row for each RNR NAK: $(grep 'RNR NAK' rnr.html.txt)"

# on a narrow page the text of a packet goes on below its arrow, to the last word
"$rdmash" -X -c 'timeline on; reg 4096 -name window; listen 0 -share window -accept -name door
	connect 127.0.0.1 [lindex [split [get door local] :] end]; post write -text long -at 4093
	catch poll; timeline -width 60' > out 2>&1 || bad "exit status $?: $(cat out)"
sed -n 's/^[ 0-9.]*│\([^│]*\)│.*/\1/p' out | tr -s ' ─▶◀\n' ' ' > packets
grep -Eq 'RC_WRITE_ONLY psn [0-9]+ 4 B' packets || bad "the end of a WRITE is missing: $(cat out)"
grep -q 'NAK: remote access error' packets || bad "the end of a NAK is missing: $(cat out)"

# what is sent again and again is folded, and counts as one; what is left out is counted
"$rdmash" -X -c 'timeline on; reg 64 -name buf; listen 0 -accept -rnr-retry 7 -name door
	connect 127.0.0.1 [lindex [split [get door local] :] end]; wait until {[get id1 state] eq "ESTABLISHED"}
	modify-qp qp1 -min-rnr-timer 14; post send buf -len 8
	wait until {[dict get [counters] send_rnr_err] + [dict get [counters] rcvd_rnr_err] >= 16} -within 20s
	set rows [llength [timeline]]; timeline -last 5
	echo "values $rows"; timeline -all' > out 2>&1 || bad "exit status $?: $(cat out)"
follows out 'RC_SEND_ONLY psn' 'RNR NAK' \
	'^ +\.\.\. (these 2 rows|this row) [0-9]+ times more, until [0-9]+\.[0-9]{3} ms$' \
	'^\([0-9]{2} older rows are left out; all: timeline -all\)$' '^values [0-9]+$' \
	'rdma_create_id' '(these 2 rows|this row) [0-9]+ times'
[ "$(grep -c 'RC_SEND_ONLY psn' out)" -le 6 ] || bad "repetitions are not folded: $(cat out)"

well_formed good.svg
grep -q 'CM DREP' good.svg || bad "good.svg has no DREP"
page good.html
page bad.html
for what in '^title: write & <b>read</b>$' '^row: .* rdma_connect id1' '^row: .*RC_WRITE_ONLY.*psn' \
	'^qp: this session qp0 RC ' '^bytes: window 636c69656e742077' \
	'^cq: .* SUCCESS SUCCESS' '^then: .* qp0 INIT$' '^then: .* qp0 RTS$'; do
	grep -q -- "$what" good.html.txt || bad "good.html has no $what: $(cat good.html.txt)"
done
! grep -q '^why: ' good.html.txt || bad "good.html has failures"
for what in '^bad: .*NAK: remote access error' '^why: .*REM_ACCESS_ERR: the peer' '^why: .*0x1234' \
	'^last: .*REM_ACCESS_ERR'; do
	grep -q -- "$what" bad.html.txt || bad "bad.html has no $what: $(cat bad.html.txt)"
done

# another process, a packet that is lost, and what it says when it is hostile
"$rdmash" -X -f timeline-peer.rdma > out 2>&1 || bad "exit status $?: $(cat out)"
follows out 'this end: .*@b: ' 'rdma_listen' '│─+ CM REQ ─+▶│' 'rdma_accept' '│◀─+ CM REP ─+│' \
	'RC_WRITE_ONLY psn [0-9]+ 17 B  fault: drop ─+✗│' '│─+ RC_WRITE_ONLY psn [0-9]+ 17 B ─+▶│' \
	'RC_ACK psn' '✓ WC wr_id 1 SUCCESS'
grep -q 'hostile <script>alert(1)</script>' out || bad "what the hostile peer said is not there"
! grep -q $'[\033\a]' out || bad "a peer acts on the terminal"
page hostile.html
well_formed hostile.svg
grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' hostile.svg || bad "hostile.svg: the text is not escaped"
grep -q '^title: <script>alert(1)</script>$' hostile.html.txt || bad "hostile.html has another title"
grep -q '^row: .*hostile <script>alert(1)</script>' hostile.html.txt || bad "hostile.html does not say it"

# with a server here, too: a packet ends at the end that has it, also when all of them are lost; and
# beside all lines when that end has gone
cat > ends.rdma <<'END'
timeline on
reg 64 -name here
listen 7476 -share here -accept
connect 127.0.0.1 7476
peer b
@b {reg 64 -name there; listen 7477 -share there -accept}
connect 127.0.0.1 7477
proc ends what {lsort -unique [lmap row [timeline] {
	if {![string match $what [dict get $row text]]} continue
	lindex [split [dict get $row to] :] 0
}]}
fault wire -drop 100%
post write -text lost
wait until {[llength [ends RC_WRITE*]]} -within 20s
fault wire off
expect -name "the lost packet was for the peer" -value @b {ends RC_WRITE*}
poll -ok
expect -name "and so is the one that has come" -value @b {ends RC_WRITE*}
# the answer is on its way until b has ended; the device then hands it to this program
fault wire -delay 500ms -direction out -qpn 1
@b quit
wait until {[llength [ends "CM DREP"]]} -within 20s
expect -name "the end has gone" -value "{the other end}" {ends "CM DREP"}
END
"$rdmash" -q -X -f ends.rdma > ends 2>&1 || bad "the ends of packets: $(cat ends)"

# only where a script may write, and only text where there is no UTF-8
echo 'timeline on; reg 4096; report ../x.html' > away.rdma
! "$rdmash" -X -f away.rdma > away 2>&1 || bad "a page outside of the script's directory"
echo 'timeline on; reg 4096; timeline -svg ../x.svg' > away.rdma
! "$rdmash" -X -f away.rdma > away 2>&1 || bad "a drawing outside of the script's directory"
[ ! -e ../x.html ] && [ ! -e ../x.svg ] || bad "it was written all the same"
LC_ALL=C "$rdmash" -X -c 'timeline on; reg 4096; timeline' > ascii 2>&1
grep -q '|  ibv_reg_mr' ascii || bad "not in ASCII: $(cat ascii)"
! LC_ALL=C grep -q '[^ -~]' ascii || bad "more than ASCII where there is no UTF-8"
# off in scripts
"$rdmash" -X -c 'reg 4096; timeline' > off 2>&1 && bad "it is on in a script"
grep -q 'timeline on' off || bad "no remedy: $(cat off)"

[ -z "${3-}" ] || cp ./*.html ./*.svg "$3"
[ "$failures" = 0 ] && echo ok
exit $((failures > 0))

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# show_process.sh RDMASH VTRACE UROCE PROGRAM PEER: `show -process` of both ends of missing_rights: of the
# client while vtrace holds it at its failure, and of the server, which nobody traces.
# shellcheck source-path=SCRIPTDIR source=../../uroce/tests/checks.sh
. "$(dirname "$0")/../../uroce/tests/checks.sh"
rdmash=$1 vtrace=$2 uroce=$3 program=$4 peer=$5
start_checks

exec 3< <(exec timeout 60 "$uroce" "$program" server 10.0.0.1 7471 2>&1)
read -r -u 3 _
exec 4< <(exec "$vtrace" --stop-on any -q -o /dev/fd/5 "$uroce" "$program" client \
	10.0.0.1 7471 5>&1 >/dev/null)
tracer=$!
started+=("$tracer")
while read -r -u 4 line; do
	case $line in *' is held: '*) break ;; esac
done
client=$(sed -E 's/.* of process ([0-9]+) is held.*/\1/' <<<"$line")
server=$("$uroce" status | sed -En "/pid $client /d; s/^slot [0-9]+ +pid ([0-9]+) .*/\1/p")

shown() { timeout 120 "$rdmash" --json -c "show -process $1"; }
shown "$server" >"$tmp/server.json"
shown "$client" >"$tmp/client.json"
ok "what both have, and whom they are connected with" python3 - "$tmp" "$server" "$client" <<'PYTHON'
import json, sys
tmp, server, client = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
there, here = (json.load(open(f"{tmp}/{end}.json"))["value"] for end in ("server", "client"))
assert there["process"] == {"pid": server, "program": "missing_rights"}, there["process"]
assert list(there) == ["process", "ctx0", "cq0", "pd0", "mr0", "qp0"], list(there)
assert there["mr0"]["access"] == ["LOCAL_WRITE"] and there["mr0"]["pd"] == "pd0", there["mr0"]
assert there["mr0"]["len"] == here["mr0"]["len"] == 16384
assert here["cq0"]["filled"] == 15 and here["cq0"]["cqe"] == 64, here["cq0"]
assert there["cq0"]["filled"] == 0, there["cq0"]
for qp, peer, pid in ((there["qp0"], here["qp0"], client), (here["qp0"], there["qp0"], server)):
    assert qp["state"] == qp["peer_state"] == "ERR", qp
    assert qp["dest_qpn"] == peer["qpn"] and qp["dgid"] == "::ffff:10.0.0.1", qp
    assert qp["peer"] == "qp0" and qp["peer_pid"] == pid, qp
    assert qp["access"] == ["REMOTE_WRITE"] and qp["max_send_wr"] == 32, qp
    assert qp["sends"] == qp["recvs"] == 0, qp
    assert qp["changes"][-1]["to"] == "ERR" and qp["changes"][-1]["when"] > 1e18, qp
last = there["qp0"]["changes"][-1]
assert last["cause"] == "refusal" and last["opcode"].startswith("RC_"), last
last = here["qp0"]["changes"][-1]
assert last["cause"] == "send" and last["status"].startswith("REM_"), last
PYTHON
ok "the status, too" grep -Eq '^  qp [0-9]+ .* ERR .* for [0-9]+ s: it refused a request of the peer$' \
	<("$uroce" status)
ok "since when and why, at the end that refused" grep -Eq \
	'^ +[0-9:.]+  RTS -> ERR    it refused a RC_[A-Z_]+ of the peer, whose key, range or right is wrong: rkey 0x[0-9a-f]+' \
	<("$rdmash" -c "show -process $server")
ok "and all changes of one" test "$(grep -cE ' -> ' <("$rdmash" -c "show qp0 -process $client"))" -ge 4
ok "the states as a drawing" grep -q '╔═════╗' <("$rdmash" -c "show -process $client")
ok "one of them" grep -q '^mr mr0  16384 B .* LOCAL_WRITE$' \
	<("$rdmash" -c "show mr0 -process $server")

# says WHAT TEXT OBJECT...: show OBJECT... fails, and says this
says() {
	local what=$1 text=$2
	shift 2
	timeout 120 "$rdmash" -c "show $*" >"$tmp/said" 2>&1
	ok "$what: fails" test $? = 1
	ok "$what" grep -q -- "$text" "$tmp/said"
}
says "no such object" "process $server has no mr1" mr1 -process "$server"
says "not on the device" "process $$ (bash) has not opened uroce0" -process $$
kill -STOP "$server"
says "stopped" "process $server does not answer" -process "$server"
kill -CONT "$server"
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups true 2>/dev/null; then
	setpriv --reuid 65534 --clear-groups sleep 60 &
	started+=($!)
	until [ "$(stat -c %u /proc/$!)" = 65534 ]; do sleep 0.01; done
	says "another user's" "process $! is of another user, with uid 65534" -process $!
else
	echo "not root: no other user"
fi
ok "it was not changed by that" cmp "$tmp/client.json" <(shown "$client")

kill -CONT "$tracer"
wait "$tracer"
ok "the client ends as it would have" test $? = 1
cat <&3 >/dev/null # until the server has ended, too
gone() { ! kill -0 "$server" 2>/dev/null; }
until gone; do sleep 0.01; done
says "no process any more" "there is no process $server" -process "$server"

# librdmacm connects the QP without a call that vtrace sees: the program's own process is asked whom it
# is connected with, and then the peer's. PEER imm-client writes to a region that does not allow it.
cat >"$tmp/server.rdma" <<-'SCRIPT'
	listen 7471 -address 10.0.0.1
	echo listening
	accept -prepare -within 20s
	reg 4096 -name window -access local-write,remote-read
	reg 64 -name note -access local-write
	post recv note
	accept -private-data [binary format WuIu [get window addr] [get window rkey]] \
		-responder-resources 1 -initiator-depth 1 -within 20s
	wait event DISCONNECTED -within 20s
SCRIPT
exec 3< <(exec timeout 60 "$rdmash" -q "$tmp/server.rdma" 2>&1)
read -r -u 3 _
timeout 60 "$vtrace" -q -o "$tmp/said" "$uroce" "$peer" imm-client 10.0.0.1 7471 >"$tmp/client" 2>&1
ok "connected by librdmacm: the peer's region is named" \
	grep -Eq '^ *cause +the peer \(rdmash, process [0-9]+\): mr[0-9]+ has no REMOTE_WRITE' "$tmp/said"
cat <&3

# the peer has ended before the failure is seen
cat >"$tmp/client.rdma" <<-'SCRIPT'
	reg 64 -name note
	connect 10.0.0.1 7471
	post write note -remote 0x1000 -rkey 0x12345
	while {[get qp0 state] ne "ERR"} { sleep 5ms }
	exec sh -c {kill -KILL $0; while grep -q "State:.[RSD]" /proc/$0/status; do sleep 0.01; done} \
		[lindex $argv 0] 2>/dev/null
	poll
SCRIPT
exec 3< <(exec timeout 60 "$rdmash" -q "$tmp/server.rdma" 2>&1)
read -r -u 3 _
server=$("$uroce" status | sed -En "s/^slot [0-9]+ +pid ([0-9]+) .*/\1/p")
timeout 60 "$vtrace" -q -o "$tmp/said" "$uroce" "$rdmash" --unsafe -q "$tmp/client.rdma" "$server" \
	>"$tmp/client" 2>&1
ok "the peer has ended: that is why it is not asked" \
	grep -q ' possible cause .* which cannot be asked: the process of the peer.s QP has ended$' "$tmp/said"
finish

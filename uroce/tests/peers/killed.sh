#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Peers that are killed, or stopped for a while, in every state: the other one learns it in
# time, and one that is started again works at once.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2317
. "$(dirname "$0")/lib.sh" "$@"
need rping ib_write_bw ucmatose

# start NAME COMMAND...: in the background, its output in $tmp/NAME
start() {
	local name=$1
	shift
	"$uroce" "$@" >"$tmp/$name" 2>&1 &
	pid=$!
	started+=("$pid")
}

# ends SECONDS PID: it ends by itself by then
gone() { ! kill -0 "$1"; }
ends() { within "$1" gone "$2"; }
shows() { grep -q -- "$2" "$tmp/$1"; }
connected() { "$uroce" status | grep -q 'qp .*RTS'; }

rping_server() { start server rping -s -a 127.0.0.1 "$@"; server=$pid; until_listening 7174; }
rping_client() { start client rping -c -a 127.0.0.1 "$@"; client=$pid; }
works() { ok "$1" timeout 120 "$uroce" rping -c -a 127.0.0.1 -C 3 -V; }

# listening
rping_server -P
kill -9 "$server"
ok 'nobody listens any more: refused at once' bash -c \
	"timeout 120 '$uroce' rping -c -a 127.0.0.1 -C 1 2>&1 | grep -q 'RDMA_CM_EVENT_REJECTED, error 8'"
rping_server -P
works 'a listener that is started again'

# connected, in the middle of transfers
rping_client -C 1000000
within 60 connected
sleep 0.3
kill -9 "$client"
works 'a client that is started again'
ok 'its server has one connection less' within 60 bash -c \
	"! '$uroce' status | grep -q 'qp .*RTS'"
rping_client -C 1000000
within 60 connected
sleep 0.3
kill -9 "$server"
ok 'the client of a killed server ends' ends 60 "$client"
ok 'it says why' shows client 'DISCONNECT EVENT'
rping_server -P
works 'a server that is started again'
kill -9 "$server"

# connected, without a word from either
start server ucmatose -b 127.0.0.1 -c 1 -C 0
until_listening 7471
server=$pid
start client ucmatose -s 127.0.0.1 -c 1 -C 0
client=$pid
ok 'ucmatose without transfers' ends 60 "$client"

# stopped for a second, in the middle
rping_server
rping_client -C 3000 -V
within 60 connected
kill -STOP "$server"
sleep 1
kill -CONT "$server"
ok 'a server that was stopped for a second' ends 600 "$client"
wait "$client" || not_ok "its client: status $?"
rping_server
rping_client -C 3000 -V
within 60 connected
kill -STOP "$client"
sleep 1
kill -CONT "$client"
ok 'a client that was stopped for a second' ends 600 "$client"
wait "$client" || not_ok "status $?"

# without a connection manager: what was sent is not answered. Something always is on its way,
# so the other one cannot be left waiting for what was never sent.
busy() { "$uroce" status | awk '$1 == "packets" && $2 > 1000 { n = 1 } END { exit !n }'; }
start server ib_write_bw -F -n 100000000 -p 18600
server=$pid
until_port 18600
start client ib_write_bw -F -n 100000000 -p 18600 127.0.0.1
client=$pid
within 60 busy
kill -9 "$server"
ok 'ib_write_bw: the other one ends' ends 60 "$client"
ok 'it says why' shows client 'Failed status 12'

# the only holder of the sockets is stopped: a newcomer gets them nevertheless
rping_server -P
kill -STOP "$server"
ok 'the device beside a stopped process' timeout 120 "$uroce" ibv_devinfo
kill -CONT "$server"
works 'which then goes on'
kill -9 "$server"
finish

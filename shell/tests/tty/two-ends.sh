#!/bin/sh
# SPDX-License-Identifier: MIT
# Two of the program on two real ports, 10.0.0.1 and 10.0.0.2: to be run in the machine of
# scripts/rxe-lab, where they are rxe0's and rxe1's, or on the embedded device, which has both
# (scripts/tests/on.sh). A notice above a half-typed line, the connection, the data, the end.
. "$(dirname "$0")/tmux.sh"

if [ -n "${RDMASH_DEVICE-}" ]; then
	one=$RDMASH_DEVICE
	two=$RDMASH_DEVICE
else
	one=rxe0
	two=rxe1
	[ -d /sys/class/infiniband/rxe1 ] || { echo "no rxe1 here"; exit 77; }
fi
columns=100
rows=40
rdmash=$1

start "$rdmash"
await '^rdmash> *$'
line 'reg 4096 -name window -access local-write,remote-write,remote-read'
await '^mr window '
await "^$one> *$"
line 'listen 7471 -share window'
await '^id0 listening on '
clear_screen
type 'echo half typed'
key Left Left Left Left Left
await '> echo half typed$'
start_second "$rdmash" --device "$two"
await '^rdmash> *$'
line 'connect 10.0.0.1 7471 -source 10.0.0.2'
await 'rdma_connect'
window 0
await '^\* cm +id0: CONNECT_REQUEST from 10\.0\.0\.2:[0-9]+'
await "^$one> echo half typed$"
type 'X'
key Enter
await '^half Xtyped$'
line 'accept'
await '^id[0-9]+ ESTABLISHED with 10\.0\.0\.2:[0-9]+, qp[0-9]+ RTS'
await "^$one qp[0-9]+:RTS> *$"
clear_screen
line 'qp-state'
await '│ RESET │ ══▶ │ INIT │ ══▶ │ RTR │ ══▶ ║ RTS ║'

window 1
await '^id0 ESTABLISHED with 10\.0\.0\.1:7471, qp0 RTS; its window of 4096 bytes is open to'
await "^$two qp0:RTS> *$"
clear_screen
line 'binary scan [private-data] WuIu addr rkey'
line 'reg 64 -name buf; mem put buf 0 "hello, memory"'
await '^mr buf '
line 'post write buf -len 13 -remote $addr -rkey $rkey'
await '^  ibv_post_send qp0 RDMA_WRITE$'
await '^posted: RDMA_WRITE of 13 bytes to the peer.s window \(wr_id 1\)'
line 'poll'
await '^WC wr_id 1  SUCCESS  RDMA_WRITE  qp0 '
line 'trace all'
line 'post write buf -len 13 -remote $addr -rkey $rkey -wr-id 1'
await 'data ibv_post_send qp0 \{wr_id 1 sg_list \{\{addr buf\+0 length 13'
line 'poll'
await '^WC wr_id 1  SUCCESS  RDMA_WRITE  qp0 '
window 0
clear_screen
line 'mem get window 0 13'
await '^hello, memory$'
window 1
clear_screen
line 'post write buf -len 13 -remote [expr {$addr + 4090}] -rkey $rkey'
line 'poll'
await '^WC wr_id 2  REM_ACCESS_ERR  (vendor_err 0x[0-9a-f]+  )?qp0 '
await "^$two qp0:ERR> *$"
line 'qp-state'
await '║ ERR ║'
clear_screen
type 'echo waits'
window 0
line 'disconnect'
await 'rdma_disconnect'
window 1
await '^\* cm +id0: DISCONNECTED'
await "^$two qp0:ERR> echo waits( |$)"
cancel
line 'quit'
await_end
window 0
line 'quit'
await_end
stop

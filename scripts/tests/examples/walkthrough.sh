#!/bin/bash
# SPDX-License-Identifier: MIT
# walkthrough.sh DEVICE RDMASH: the trace of examples/write-read.rdma shows the steps of an RDMA
# connection in order, with the dumps of QP, WR and SGE, and the window's address and key
# in the private data.
set -u
device=$1 rdmash=$2
here=$(cd "$(dirname "$0")" && pwd)

trace=$(bash "$here/../on.sh" "$device" "$rdmash" -q -c 'trace all' -f "$here/../../examples/write-read.rdma" 2>&1) || {
	status=$?
	printf '%s\n' "$trace"
	exit $status
}

# the window as it was registered, and as the private data must have it
window=$(sed -n 's/.*ibv_reg_mr pd0 0x\([0-9a-f]*\) .* = window, .*rkey 0x\([0-9a-f]*\).*/\1 \2/p' <<<"$trace")
read -r addr rkey <<<"$window"
capability=$(printf '%016x%08x' "0x${addr:-0}" "0x${rkey:-0}")

steps="1 listens|rdma_listen 
2 resolves the address|rdma_resolve_addr 
2 resolves the route|rdma_resolve_route 
3 makes a CQ|ibv_create_cq 
3 makes a QP|rdma_create_qp 
3 dumps the QP|QP dump: qpn=.* state=
4 connects|rdma_connect 
4 accepts|rdma_accept 
4 is established|ESTABLISHED
5 has address and rkey in the private data|private data.* $capability
6 posts the WRITE|ibv_post_send .*addr .* length 17 lkey 0x.* opcode RDMA_WRITE .*remote_addr 0x$addr .*rkey 0x$rkey
8 completes the WRITE|ibv_poll_cq .*status SUCCESS opcode RDMA_WRITE
7 posts the READ|ibv_post_send .* length 17 lkey 0x.* opcode RDMA_READ .*remote_addr 0x$addr .*rkey 0x$rkey
8 completes the READ|ibv_poll_cq .*status SUCCESS opcode RDMA_READ
9 disconnects|rdma_disconnect 
9 is disconnected|DISCONNECTED"

# the PD is made by the connection, or before it by the window on the same device
grep -q 'ibv_alloc_pd ' <<<"$trace" || { echo "not ok: 3 makes a PD"; exit 1; }

# each step on a line after that of the step before
line=0
while IFS='|' read -r step pattern; do
	next=$(awk -v from="$line" -v pattern="${pattern//\\/\\\\}" \
		'NR > from && $0 ~ pattern { print NR; exit }' <<<"$trace")
	if [ -z "$next" ]; then
		printf '%s\n' "$trace"
		echo "not ok: after line $line nothing shows: $step"
		exit 1
	fi
	line=$next
	echo "ok: $step (line $line)"
done <<<"$steps"

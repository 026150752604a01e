#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/examples/both-ends.rdma typed line by line at one prompt: this end is in one network,
# b in another (under scripts/tests/on.sh uroce). Prints what there was to see.
. "$(dirname "$0")/tmux.sh"
here=$(cd "$(dirname "$0")" && pwd)

columns=120
rows=120
unshare --net sleep 1000 &
other=$!
until [ "$(readlink "/proc/$other/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
ip link add here type veth peer name there netns "/proc/$other/ns/net"
ip addr flush dev lo scope global
ip addr add 10.0.0.1/24 dev here
ip link set here up
there="nsenter -t $other -n"
$there ip addr add 10.0.0.2/24 dev there
$there ip link set there up

start "$@" -X
await "$prompt"
run "peer b -command {$there}"
await '^b  idle  process '
grep -v '^#' "$here/../../../scripts/examples/both-ends.rdma" | grep . >"$dir/lines"
while read -r text; do
	run "$text"
	! shows '^error|^  next' || fail "$text"
done <"$dir/lines"

await '^b\|   rdma_listen id0$'
await '^\* cm +b: id0: CONNECT_REQUEST from 10\.0\.0\.1:'
await '^b\| id1 ESTABLISHED with 10\.0\.0\.1:'
await '^id0 ESTABLISHED with 10\.0\.0\.2:7471'
await '^ok 5 b sees the end$'
await '^uroce0 qp0:ERR> *$'
screen
line quit
await_end
kill "$other"

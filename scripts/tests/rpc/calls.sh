#!/bin/bash
# SPDX-License-Identifier: MIT
# calls.sh RDMASH uroce|netem CALLS: remote calls while a fifth of all packets is lost, a
# fifth doubled and a fifth reordered: each is executed exactly once, and none is lost.
#   uroce  two processes on the embedded device, which does that to RoCE packets
#   netem  two machines of the lab; their network does it, to TCP too
set -u
rdmash=$1 mode=$2 calls=$3 # but for netem-inside
here=$(cd "$(dirname "$0")" && pwd)
script=$here/calls.rdma
rate=20%

case $mode in
uroce)
	exec bash "$here/../on.sh" uroce bash "$0" "$rdmash" inside "$calls"
	;;
inside)
	export UROCE_FAULT="drop=$rate,dup=$rate,reorder=$rate,dir=out" UROCE_FAULT_SEED=1
	"$rdmash" -q "$script" server "$calls" &
	until grep -q ' 0A ' /proc/net/tcp6 || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
	"$rdmash" -q "$script" client 10.0.0.1 "$calls"
	status=$?
	[ $status = 0 ] || kill $!
	wait $! && exit $status
	;;
netem)
	"$here/../../rxe-lab" check pair || exit
	printf -v server '%q %q netem-inside 10.0.0.2 server %q' "$0" "$rdmash" "$calls"
	printf -v client '%q %q netem-inside 10.0.0.1 client 10.0.0.1 %q' "$0" "$rdmash" "$calls"
	exec "$here/../../rxe-lab" pair -t 1100 -g 60 "bash $server" "bash $client"
	;;
netem-inside) # PEER ARGUMENT...: a peer that is not found, as ARP is lost, is another subject
	mac=
	until [ -n "$mac" ]; do
		echo >"/dev/udp/$3/9"
		mac=$(ip neigh show "$3" | sed -n 's/.* lladdr \([^ ]*\).*/\1/p')
	done
	ip neigh replace "$3" dev eth0 lladdr "$mac" nud permanent &&
		tc qdisc add dev eth0 root netem delay 2ms loss $rate duplicate $rate reorder $rate ||
		exit
	exec "$rdmash" -q "$script" "${@:4}"
	;;
*)
	echo "unknown mode $mode" >&2
	exit 2
	;;
esac

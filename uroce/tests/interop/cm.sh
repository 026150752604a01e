#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Connections between the device and the kernel's rxe that do not go well: nobody listens, who
# leaves first, lost messages of the CM, and peers that were forgotten.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016,SC2034
. "$(dirname "$0")/lib.sh" "$@"
need tc

here=$(realpath "$(dirname "$0")")

# Lost messages. The faults are ours, of the n-th message of the CM in one direction; of a
# connection without trouble these are
#	in to a client		REP DREP
#	out from a client	REQ RTU DREQ
# and for a server the other way round.
nth() { # DIR N
	local mad="op=UD_SEND_ONLY,qpn=1,dir=$1"
	echo "${2:+$mad,delay=1us,count=$(($2 - 1));}$mad,drop=100%,count=1" |
		sed 's/[^;]*count=0;//'
}
# of each process: its capture says that something was dropped
dropped() {
	local n
	for ((n = 0; n < $2; n++)); do
		ok "$1: message $n is lost" grep -aq drop "$tmp/$1.$n"
	done
}
all='for p in $(jobs -p); do wait $p || bad=1; done; exit ${bad-0}'

lost=('out 1' 'out 2' 'out 3' 'in 1' 'in 2')
clients=''
for n in "${!lost[@]}"; do
	# shellcheck disable=SC2086
	clients+="UROCE_PCAP=$tmp/client.$n UROCE_FAULT='$(nth ${lost[n]})' \$on \$rdmash -q \
		-f $here/lost.rdma client \$peer 7471 & "
done
pair 'lost REQ, RTU, DREQ, REP, DREP' rxe 7471 \
	"\$rdmash -q -f $here/lost.rdma server 7471 ${#lost[@]}" "$clients $all"
dropped client ${#lost[@]}

lost=('in 1' 'in 2' 'in 3' 'out 1' 'out 2')
servers='' ports=''
for n in "${!lost[@]}"; do
	port=$((7475 - n)) # the last one is the one that is waited for
	# shellcheck disable=SC2086
	servers+="UROCE_PCAP=$tmp/server.$n UROCE_FAULT='$(nth ${lost[n]})' \$on \$rdmash -q \
		-f $here/lost.rdma server $port 1 & "
	ports+=" $port"
done
# One more process stays to the end: who repeats a DREQ needs somebody to answer.
stays="\$on \$rdmash -q -c 'listen 7470; cm event -within 60s'"
pair 'lost REQ, RTU, DREQ, REP, DREP' uroce 7471 "$servers pids=\$(jobs -p); $stays & h=\$!
		for p in \$pids; do wait \$p || bad=1; done
		until [ -e \$job/left ]; do sleep 0.05; done
		kill \$h; exit \${bad-0}" \
	"\$rdmash -q -f $here/lost.rdma client \$peer $ports"
dropped server ${#lost[@]}

both 'who leaves' 7471 "\$on \$rdmash -q -f $here/leave.rdma server" \
	"\$on \$rdmash -q -f $here/leave.rdma client \$peer"

# rxe begins anew with its QP numbers, and what its kernel says for a process that is killed
# does not arrive.
anew='rdma link del rxe0; tc qdisc del dev eth0 root 2>/dev/null
	rdma link add rxe0 type rxe netdev eth0
	until ibv_devinfo -d rxe0 -v | grep -q ffff:10.0.0.1; do sleep 0.05; done'
pair 'a stale connection' uroce 7471 "\$on \$rdmash -q -f $here/stale.rdma server" \
	"$anew; said=\$(mktemp); \$rdmash -f $here/stale.rdma client \$peer >\$said 2>&1 & p=\$!
	until grep -q ^connected \$said; do kill -0 \$p || { cat \$said; exit 1; }; sleep 0.05; done
	tc qdisc add dev eth0 root netem loss 100%
	kill -9 \$p; wait \$p; $anew; cat \$said; \$rdmash -f $here/stale.rdma again \$peer"
finish

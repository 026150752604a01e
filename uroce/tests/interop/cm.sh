#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Connections between the device and the kernel's rxe that do not go well: nobody listens, who
# leaves first, lost messages of the CM, and peers that were forgotten.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016,SC2034
. "$(dirname "$0")/lib.sh" "$@"

here=$(realpath "$(dirname "$0")")
limit=60

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
lost=('out 1' 'out 2' 'out 3' 'in 1' 'in 2')
clients='' n=0
for which in "${lost[@]}"; do
	# shellcheck disable=SC2086
	clients+="UROCE_FAULT='$(nth $which)' \$on \$rdmash -q -f $here/lost.rdma client \$peer 7471 & "
	n=$((n + 1))
done
wait_all='for p in $(jobs -p); do wait $p || { echo "number $p: $?"; bad=1; }; done; exit ${bad-0}'
pair 'lost REQ, RTU, DREQ, REP, DREP' rxe 7471 "\$rdmash -q -f $here/lost.rdma server 7471 $n" \
	"$clients $wait_all"
cat $tmp/client
lost=('in 1' 'in 2' 'in 3' 'out 1' 'out 2')
servers='' ports='' n=0
for which in "${lost[@]}"; do
	port=$((7475 - n))
	# shellcheck disable=SC2086
	servers+="UROCE_FAULT='$(nth $which)' \$on \$rdmash -q -f $here/lost.rdma server $port 1 & "
	ports+=" $port"
	n=$((n + 1))
done
pair 'lost REQ, RTU, DREQ, REP, DREP' uroce 7471 "$servers $wait_all" \
	"\$rdmash -q -f $here/lost.rdma client \$peer $ports"
cat $tmp/client
finish

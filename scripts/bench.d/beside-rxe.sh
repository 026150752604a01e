#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The part of bench uroce that runs in the lab: perftest between two processes on one device,
# on the kernel's rxe and on uroce0, in one virtual machine with two processors. Without KVM
# everything is about ten times slower than on the host, so only the ratio counts.
#
# beside-rxe.sh ROUNDS ROWS, or --list
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
uroce=${UROCE:-$top/build/bin/uroce}
rounds=$1 rows=${2-}

if [ "$rounds" != --list ] && [ -z "${UROCE_BENCH_GUEST-}" ]; then
	exec "$scripts/rxe-lab" run -c 2 -t 900 env UROCE_BENCH_GUEST=1 UROCE="$uroce" bash "$0" "$@"
fi

# both PROGRAM OPTION...: runs a server and a client of perftest; prints the figure of the client
both() {
	local pid

	"${on[@]}" "$@" >/dev/null 2>&1 &
	pid=$!
	until grep -q ':4853 0*:0000 0A' "/proc/$pid/net/tcp" "/proc/$pid/net/tcp6" 2>/dev/null; do
		sleep 0.05
	done
	"${on[@]}" "$@" "$address" 2>/dev/null | awk '/^ *[0-9]+ +[0-9]+ / { print ($1 == 65536 ? $4 : $5) }'
	wait "$pid" || true
}

rxe() {
	on=() address=10.0.0.1
	both "$@" -d rxe0 -x 1
}

ours() {
	on=(ip netns exec uroce "$uroce") address=127.0.0.1
	both "$@"
}

# row NAME UNIT GOAL PROGRAM OPTION...
row() {
	local name=$1 unit=$2 goal=$3
	shift 3

	case ,$rows, in
	,, | *,rxe,* | *,$name,*) ;;
	*) return 0 ;;
	esac
	if [ "$rounds" = --list ]; then
		printf '%-16s  %s, in one virtual machine with rxe\n' "$name" "$*"
	else
		row_run "$name" "$*" "$unit" "$goal" "rxe $*" "${instead-ours $*}" "$rounds"
	fi
}

if [ "$rounds" != --list ]; then
	# rxe holds the UDP port of the machine's own network
	ip netns add uroce
	ip netns exec uroce ip link set lo up
	row_head rxe uroce
fi
for op in send write read; do
	row rxe-$op-lat us '<= 0.5' ib_${op}_lat -F -s 64 -n 1000
done
row rxe-send-events us '' ib_send_lat -F -e -s 64 -n 1000
for op in send write read; do
	row rxe-$op-bw MB/s '>= 4' ib_${op}_bw -F -s 65536 -n 500
done

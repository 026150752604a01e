#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bench uroce, its part in the lab: perftest between two processes on one device, on the
# kernel's rxe and on uroce0, in one virtual machine with two processors. Without KVM
# everything is some ten times slower than on the host: the ratio is what counts.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
uroce=${UROCE:-$top/build/bin/uroce}

if [ -z "${UROCE_BENCH_GUEST-}" ]; then
	exec "$scripts/rxe-lab" run -c 2 -t 600 env UROCE_BENCH_GUEST=1 UROCE="$uroce" bash "$0" "$@"
fi

# both PROGRAM OPTION...: the figure that perftest prints, of a server and a client
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

# pair NAME UNIT OPTION...
pair() {
	local name=$1 unit=$2 rxe ours
	shift 2

	on=() address=10.0.0.1
	rxe=$(both "$@" -d rxe0 -x 1)
	on=(ip netns exec uroce "$uroce") address=127.0.0.1
	ours=$(both "$@")
	awk -v name="$name" -v unit="$unit" -v a="$rxe" -v b="$ours" \
		'BEGIN { printf "%-34s  %9.3f  %9.3f  %-5s  ratio %6.2f\n", name, a, b, unit, b / a }'
}

# rxe holds the UDP port of the machine's own network
ip netns add uroce
ip netns exec uroce ip link set lo up
printf '%-34s  %9s  %9s\n' 'in one virtual machine' rxe uroce
pair 'ib_send_lat 64 B' us ib_send_lat -F -s 64 -n 1000
pair 'ib_write_lat 64 B' us ib_write_lat -F -s 64 -n 1000
pair 'ib_read_lat 64 B' us ib_read_lat -F -s 64 -n 1000
pair 'ib_send_lat 64 B, events' us ib_send_lat -F -e -s 64 -n 1000
pair 'ib_write_bw 64 KiB' MB/s ib_write_bw -F -s 65536 -n 500
pair 'ib_read_bw 64 KiB' MB/s ib_read_bw -F -s 65536 -n 500

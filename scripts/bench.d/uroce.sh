#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bench uroce: two processes on loopback, in a network of their own. The baselines are
# udp.c, plain sockets that do the same with packets of the same size.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
uroce=${UROCE:-$top/build/bin/uroce}

if [ -z "${UROCE_BENCH_NETWORK-}" ]; then
	namespace=(unshare --net)
	[ "$(id -u)" = 0 ] || namespace=(unshare --user --map-root-user --net)
	UROCE_BENCH_NETWORK=1 exec "${namespace[@]}" bash "$0" "$@"
fi
ip link set lo up
rounds=${1:-7}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
${CC:-cc} -O2 -D_GNU_SOURCE -o "$dir/udp" "$scripts/bench.d/udp.c"
${CC:-cc} -O2 -D_GNU_SOURCE -o "$dir/verbs" "$scripts/bench.d/verbs.c" -libverbs

# pair NAME UNIT GOAL 'BASELINE' 'OURS': GOAL is what the ratio ours / baseline should be
pair() {
	local name=$1 unit=$2 goal=$3 base ours i

	: >"$dir/rounds"
	for ((i = 0; i < rounds; i++)); do
		base=$(eval "$4")
		ours=$(eval "$5")
		echo "$base $ours" | awk '{ print $1, $2, $2 / $1 }' >>"$dir/rounds"
	done
	printf '%-34s  %9.3f  %9.3f  %-5s  ratio %6.2f   (goal %s)\n' "$name" \
		"$(column 1 "$dir/rounds" | median)" "$(column 2 "$dir/rounds" | median)" \
		"$unit" "$(column 3 "$dir/rounds" | median)" "$goal"
}

# 64 bytes of payload: BTH 12, ICRC 4; of UD 8 more for the DETH
udp="$dir/udp" verbs="'$uroce' '$dir/verbs'"
printf '%-34s  %9s  %9s\n' '' baseline uroce
pair 'RC SEND 64 B round trip, polling' us '<= 2' "$udp ping busy 80 50000" "$verbs ping rc poll 64 50000"
pair 'RC SEND 64 B, events' us '<= 1.5' "$udp ping block 80 20000" "$verbs ping rc event 64 20000"
pair 'UD SEND 64 B round trip, polling' us '<= 1.3' "$udp ping busy 88 50000" "$verbs ping ud poll 64 50000"
# WRITEs of 64 KiB with an MTU of 4096: packets of 4096 + BTH + ICRC
pair 'RC WRITE 64 KiB' GB/s '>= 0.7' "$udp stream 4112 16 1000" "$verbs write 65536 16000"
pair 'RC WRITE 64 KiB, GSO and GRO' GB/s '>= 0.5' "$udp stream 4112 15 2000 gso" \
	"UROCE_GSO=1 $verbs write 65536 32000"
for n in 100 1000; do
	pair "RC WRITE 64 B: 1 QP, $n QPs" us '<= 1.2' "$verbs qps 1 50000" "$verbs qps $n 50000"
done
for n in 1000 100000; do
	pair "RC WRITE 64 B: 10 MRs, $n MRs" us '<= 1.2' "$verbs mrs 10 50000" "$verbs mrs $n 50000"
done
pair 'start-up of true, with the preload' ms '' 'wall env true' "wall env LD_PRELOAD=$("$uroce" --library) true"

# An idle process that holds a QP and waits for an event: CPU time in two seconds.
idle() {
	local pid before after

	"$uroce" "$rdmash" -q -c 'qp create' -c 'listen 7471' -c 'sleep 4s' &
	pid=$!
	until "$uroce" status 2>/dev/null | grep -q listen; do sleep 0.05; done
	sleep 0.5
	before=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	sleep 2
	after=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	wait "$pid"
	echo "idle process: $((after - before)) ticks of CPU in 2 s   (goal 0)"
}
idle

# Tails: perftest's own 99.9th percentile beside its median
tail_of() {
	local program=$1

	"$uroce" "$program" -F -s 64 -n 20000 -p 18515 >/dev/null 2>&1 &
	until grep -q ':4853 0*:0000 0A' /proc/net/tcp /proc/net/tcp6; do sleep 0.02; done
	"$uroce" "$program" -F -s 64 -n 20000 -p 18515 127.0.0.1 2>/dev/null |
		awk -v name="$program" '/^ *64 / { printf "%s: typical %s us, 99.9%% %s us, ratio %.1f\n", name, $5, $9, $9 / $5 }'
	wait
}
for program in ib_write_lat ib_send_lat; do
	if command -v $program >/dev/null; then tail_of $program; fi
done

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bench overhead: runs in the rxe lab (scripts/rxe-lab); or on this machine, if RDMASH_BENCH_ADDR
# is an address of one of its RDMA devices.
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

overhead() {
	local rounds=$1 n=$2 addr=$3 dir=$4 i c s

	for ((i = 0; i < rounds; i++)); do
		c=$("$dir/overhead" "$addr" $((7500 + 2 * i)) "$n")
		s=$("$rdmash" -q -f "$scripts/bench.d/overhead.rdma" "$addr" $((7501 + 2 * i)) "$n" 2>/dev/null)
		echo "$c $s" | awk '{ print $1, $2, $2 / $1 }' >>"$dir/loop"
	done
	for ((i = 0; i < rounds; i++)); do
		c=$(wall ibv_devices)
		s=$(wall "$rdmash" -X -c '')
		echo "$c $s" | awk '{ print $1, $2, $2 / $1 }' >>"$dir/start"
	done
	printf 'post + poll   C %s us   rdmash %s us   ratio %.2f   (%d rounds of %d)\n' \
		"$(column 1 "$dir/loop" | median)" "$(column 2 "$dir/loop" | median)" \
		"$(column 3 "$dir/loop" | median)" "$rounds" "$n"
	printf 'start-up      ibv_devices %.1f ms   rdmash %.1f ms   ratio %.2f\n' \
		"$(column 1 "$dir/start" | median)" "$(column 2 "$dir/start" | median)" \
		"$(column 3 "$dir/start" | median)"
}

rounds=${1:-7} n=${2:-2000}
if [ -n "${RDMASH_BENCH_DIR-}" ]; then # in the lab
	overhead "$rounds" "$n" 10.0.0.1 "$RDMASH_BENCH_DIR"
	exit
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
${CC:-cc} -O2 -D_GNU_SOURCE -o "$dir/overhead" "$scripts/bench.d/overhead.c" -lrdmacm -libverbs
if [ -n "${RDMASH_BENCH_ADDR-}" ]; then
	overhead "$rounds" "$n" "$RDMASH_BENCH_ADDR" "$dir"
else
	"$scripts/rxe-lab" run -t 900 -w "$top" -w "$dir" \
		env RDMASH_BENCH_DIR="$dir" RDMASH="$rdmash" bash "$0" "$rounds" "$n"
fi

# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[soak]='a million operations on a wire that loses, duplicates, reorders and corrupts packets;
	100,000 calls; ten minutes of processes that access each other'"'"'s memory and are killed'

# All in parallel, because they mostly wait.
step_soak() {
	local on="bash scripts/tests/on.sh uroce"
	build build -DCMAKE_C_COMPILER=gcc -DBUILD_TESTING=ON || return
	# shellcheck disable=SC2086  # words
	UROCE_FAULT='dir=out,drop=5%,dup=2%,reorder=5%,corrupt=1%' \
		$on build/bin/uroce build/uroce/tests/stress -n 1000000 -q 16 | tail -n 4 ||
		fail 'a million operations' &
	UROCE=$root/build/bin/uroce bash scripts/tests/rpc/calls.sh "$root/build/rdmash" uroce 100000 |
		tail -n 4 || fail '100,000 calls' &
	# shellcheck disable=SC2086  # words
	$on build/bin/uroce build/uroce/tests/peers/apart soak 600 | tail -n 4 ||
		fail 'memory that is taken back' &
	wait
}

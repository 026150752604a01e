#!/bin/bash
# SPDX-License-Identifier: MIT
#
# right.sh RDMASH UROCE STRESS some|all: programs that are right stay right when the device is as unkind as
# the specification allows. some: one seed, a choice of programs; all: five seeds, and all of our
# examples, seeds and litmus tests, programs of rdma-core, perftest, MPI, and pyverbs' own tests.
set -u
rdmash=$1 uroce=$2 stress=$3 how=$4
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
peers=$root/uroce/tests/peers
failed=0
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
export RDMASH=$rdmash UROCE=$uroce

ok() { # WHAT COMMAND...: one that cannot be tried here (77) is no failure
	local what=$1 status
	shift
	"$@" >"$out" 2>&1
	status=$?
	case $status in
	0) echo "ok: $what" ;;
	77) echo "skipped: $what: $(tail -n 1 "$out")" ;;
	*)
		failed=1
		echo "not ok: $what: status $status"
		tail -n 30 "$out" | sed 's/^/    /'
		;;
	esac
}

# Its test_resize_cq posts UD sends, and takes them to be complete when ibv_post_send() has returned.
pyverbs_right() {
	"$uroce" bash "$root/scripts/programs.d/pyverbs.sh" uroce0 && return
	[ "$(grep -E '^(FAIL|ERROR):' "$out" | cut -d' ' -f1,2)" = 'FAIL: test_resize_cq' ]
}

# The outcomes that only an unkind device has are seen, or the mode does nothing.
unkind() { # LEVEL OUTCOME NAME
	ok "litmus $3, $1" "$root/scripts/litmus" -n 60 -l "$1" "$3"
	grep -Eq "^  allowed +[1-9][0-9]* +$2 " "$out" || {
		failed=1
		echo "not ok: litmus $3, $1: '$2' is never seen"
	}
}
unkind near 'some are not' last-byte
unkind near 'the SEND has the old bytes' read-send
unkind far 'some are' visibility
for level in near far; do
	ok "litmus, $level" "$root/scripts/litmus" -n 40 -l "$level"
done

seeds=1 examples=(write-read send-recv srq ud-datagram private-data)
if [ "$how" = all ]; then
	seeds='1 2 3 4 5' examples=()
	for file in "$root"/scripts/examples/*.rdma; do
		case $file in */rping-*) ;; *) examples+=("$(basename "$file" .rdma)") ;; esac
	done
fi
for seed in $seeds; do
	export UROCE_ORDER=$seed
	for name in "${examples[@]}"; do
		ok "seed $seed: example $name" timeout 60 "$rdmash" --device uroce0 -q \
			-f "$root/scripts/examples/$name.rdma"
	done
	ok "seed $seed: rping -V, ucmatose, udaddy, cmtime" bash "$peers/rdmacm.sh" "$uroce"
	ok "seed $seed: MPI" "$root/scripts/programs" -d uroce -H 1 'mpi_ucx'
	[ "$how" = all ] || continue
	ok "seed $seed: pingpong" bash "$peers/pingpong.sh" "$uroce"
	ok "seed $seed: stress" bash "$peers/stress.sh" "$uroce" "$stress"
	ok "seed $seed: scripts/seeds" bash "$here/../seeds/seeds.sh" "$rdmash" uroce
	ok "seed $seed: what explain says is so" bash "$here/../explain/facts.sh" "$rdmash" proved
	ok "seed $seed: scripts/seeds against what is wrong" bash "$here/../seeds/bad.sh" "$rdmash"
	ok "seed $seed: and against peers that are" bash "$here/../seeds/bad-peer.sh" "$rdmash"
	ok "seed $seed: perftest, UCX" "$root/scripts/programs" -d uroce -H 1 \
		'(send|write|read)_(bw|lat)$|atomic_bw.*|ucx_.*'
	ok "seed $seed: pyverbs" pyverbs_right
done
exit $failed

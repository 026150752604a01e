#!/bin/bash
# SPDX-License-Identifier: MIT
#
# stress.sh UROCE RDMASH STRESS [N]: N operations (5,000) each way, of all kinds, between the
# device and the kernel's rxe, over a wire that loses, duplicates, reorders and damages packets
# in both directions: stress.c verifies every byte, and that atomics count once. rxe's packets
# pass netem, ours the device's own faults.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016,SC2034
stress=$(realpath "$3") n=${4-5000}
limit=$((120 + n / 40))
# QEMU's card with event indices may stand still, after minutes of this
bridge=(-t $((2 * limit + 60)) -q -global -q virtio-net-device.event_idx=off)
. "$(dirname "$0")/lib.sh" "$@"
need tc

# at rxe: STRESS with words. After many losses rdma_rxe (6.1) may wait for ever to destroy a
# QP; then all is verified already, and the process cannot end.
at_end='end() {
		said=$(mktemp)
		"$@" >$said 2>&1 & p=$!
		until grep -q " verified in " $said || ! kill -0 $p 2>/dev/null; do sleep 0.2; done
		for i in {1..50}; do kill -0 $p 2>/dev/null || break; sleep 0.2; done
		cat $said
		if grep -qs rxe_cleanup /proc/$p/task/*/wchan; then
			echo "rxe does not destroy a QP"
		else
			wait $p
		fi
	}'

rate='loss 5% duplicate 2% corrupt 1%'
gid=$(at rxe 'ibv_devinfo -v' | sed -n 's/.*GID\[ *\([0-9]*\)\]:.*ffff:10.0.0.1.*/\1/p')
export UROCE_FAULT='dir=out,drop=5%,dup=2%,reorder=5%,corrupt=1%'
ok "netem" at rxe "tc qdisc add dev eth0 root netem delay 500us reorder 95% $rate"
pair "stress" rxe 18900/tcp "$at_end; end $stress -l 18900 -g $gid" \
	"\$on $stress -c \$peer:18900 -n $n -t 16"
pair "stress" uroce 18901/tcp "\$on $stress -l 18901" \
	"$at_end; end $stress -c \$peer:18901 -g $gid -n $n -t 16"
cat "$tmp/client"
finish

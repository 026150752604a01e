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

# Linux 6.12's rxe completes READs of more than one packet without all of their bytes, and refuses READs
# that are repeated after a READ or WRITE of no bytes: reads.rdma shows both.
kernel=$(at rxe 'uname -r')
of_client=() of_server=()
if printf '6.12\n%s\n' "$kernel" | sort -VC; then
	echo "rxe of Linux $kernel: it does no READs of more than one packet, and gets no READs and WRITEs of no bytes"
	of_client=(-e client) of_server=(-e server)
fi

rate='loss 5% duplicate 2% corrupt 1%'
gid=$(at rxe 'ibv_devinfo -v' | sed -n 's/.*GID\[ *\([0-9]*\)\]:.*ffff:10.0.0.1.*/\1/p')
export UROCE_FAULT='dir=out,drop=5%,dup=2%,reorder=5%,corrupt=1%'
ok "netem" at rxe "tc qdisc add dev eth0 root netem delay 500us reorder 95% $rate"
pair "stress" rxe 18900/tcp "$at_end; end $stress -l 18900 -g $gid" \
	"\$on $stress -c \$peer:18900 -n $n -t 16 ${of_server[*]}"
pair "stress" uroce 18901/tcp "\$on $stress -l 18901" \
	"$at_end; end $stress -c \$peer:18901 -g $gid -n $n -t 16 ${of_client[*]}"
cat "$tmp/client"
finish

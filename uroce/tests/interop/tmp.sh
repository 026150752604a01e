bridge=(-t 900)
#!/bin/bash
# SPDX-License-Identifier: MIT
#
# stress.sh UROCE RDMASH STRESS [N]: N operations (5,000) each way, of all kinds, between the
# device and the kernel's rxe, over a wire that loses, duplicates, reorders and damages packets
# in both directions: stress.c verifies every byte, and that atomics count once. rxe's packets
# pass netem, ours the device's own faults.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
stress=$(realpath "$3") n=${4-5000}
. "$(dirname "$0")/lib.sh" "$@"
need tc
limit=400; bridge=(-t 900)

rate='loss 3% duplicate 2% corrupt 1%'
gid=$(at rxe 'ibv_devinfo -v' | sed -n 's/.*GID\[ *\([0-9]*\)\]:.*ffff:10.0.0.1.*/\1/p')
export UROCE_FAULT='dir=out,drop=3%,dup=2%,reorder=5%,corrupt=1%'
ok "netem" at rxe "tc qdisc add dev eth0 root netem delay 500us reorder 95% $rate"
pair "stress" rxe 18900/tcp "$stress -l 18900 -g $gid & p=\$!; until [ -e \$job/left ]; do sleep 1; done; sleep 15; if kill -0 \$p; then cat /proc/\$p/task/*/{wchan,stack,syscall}; ps -ef | tail -20; rdma resource show qp; dmesg | tail -5; kill -9 \$p; exit 1; fi; wait \$p" \
	"\$on $stress -c \$peer:18900 -n $n -t 16; s=\$?; touch \$job/left; exit \$s"
cat $tmp/client $tmp/server
finish

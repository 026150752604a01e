#!/bin/sh
# SPDX-License-Identifier: MIT
# rdma_link.sh UROCE: a program on uroce0 asks rdma(8) for its link, as pyverbs does; what else it asks
# rdma for, the system's program answers.
set -eu
uroce=$1
# under AddressSanitizer: what Python and sh leak is theirs
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
command -v rdma >/dev/null || { echo 'no rdma(8) here'; exit 77; }
netdev=$("$uroce" cat /sys/class/infiniband/uroce0/ports/1/gid_attrs/ndevs/0)
UROCE_DEVICES=rxe_7 "$uroce" python3 - "$netdev" <<'END'
import json, subprocess, sys
rows = json.loads(subprocess.check_output(['rdma', 'link', 'show', '-j']).decode())
with open('/sys/class/net/%s/ifindex' % sys.argv[1]) as f:
    index = int(f.read())
assert rows == [{'ifindex': 0, 'ifname': 'rxe_7', 'port': 1, 'state': 'ACTIVE', 'physical_state': 'LINK_UP',
                 'netdev': sys.argv[1], 'netdev_index': index}], rows
assert json.loads(subprocess.check_output(['rdma', '-j', 'link', 'show', 'rxe_7/1'])) == rows
assert json.loads(subprocess.check_output(['rdma', '-j', 'link', 'show', 'mlx5_0'])) == []
END
text=$("$uroce" rdma link)
[ "$text" = "link uroce0/1 state ACTIVE physical_state LINK_UP netdev $netdev " ] || { echo "not ok: $text"; exit 1; }
[ "$("$uroce" rdma -V)" = "$(rdma -V)" ] || { echo 'not ok: rdma -V'; exit 1; }
# shellcheck disable=SC2016  # for that shell
[ "$("$uroce" sh -c 'echo ${PATH#*:}')" = "$PATH" ] || { echo 'not ok: PATH'; exit 1; }
echo 'rdma link: ok'

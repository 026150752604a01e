#!/bin/bash
# SPDX-License-Identifier: MIT
# peer-lab.sh RDMASH: two machines stepped from one prompt: b is in a machine of the lab, on
# the kernel's rxe, and a on the embedded device in the network beside it. Only pipes connect the
# ends, and launchers that put a name before each line.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh disable=SC2016
. "$(dirname "$0")/../lab/lib.sh"
rdmash=$(realpath "$1")
can_run bridge

cat > "$tmp/both.rdma" << 'END'
@b reg 4096 -name window -access local-write,remote-write,remote-read
@b listen 7471
@b -background accept
@a connect 10.0.0.1 7471
barrier -within 30s
@a reg 64 -name buf
@a mem put buf 0 "from uroce to rxe"
@a post write buf -len 17 -remote [@b get window addr] -rkey [@b get window rkey]
expect -name "the write completes" status SUCCESS {@a poll -within 60s}
expect -name "and is there" -value "from uroce to rxe" {@b mem get window 0 17}
@a post recv buf -len 64
@b post send window -off 5 -len 5
expect -name "the send completes" status SUCCESS {@b poll -within 60s}
expect -name "and has arrived" -value uroce {@a poll -within 60s; @a mem get buf 0 5}
expect -name "errors have their code" -error EINVAL {@b modify-qp RESET -force -qkey 1}
@a disconnect
expect -name "b sees the end" event DISCONNECTED {@b wait event DISCONNECTED -within 60s}
END
mkfifo "$tmp/in" "$tmp/out"
cat > "$tmp/machine" << END
exec '$lab' bridge -t 100 "lab-wait up1; exec '$rdmash' --peer --device uroce0 < $tmp/in > $tmp/out" "\$*"
END
cat > "$tmp/network" << END
cat '$tmp/out' &
exec cat > '$tmp/in'
END
"$rdmash" -X -c "peer b -device rxe0 -within 90s -command {bash $tmp/machine}" \
	-c "peer a -command {bash $tmp/network}" \
	-c 'echo [dict get [@a device] name] [dict get [@b device] name]' \
	-f "$tmp/both.rdma" > "$tmp/stdout" 2> "$tmp/stderr" < /dev/null
equal 'status' $? 0
has 'the devices' "$tmp/stdout" '^uroce0 rxe0$'
has 'all checks' "$tmp/stdout" '^6 checks passed, 0 failed$'
has 'a notice of b' "$tmp/stderr" '^\* cm    b: id0: CONNECT_REQUEST from 10\.0\.0\.2:'
equal 'the name that the lab puts before lines is shown once' \
	"$(grep -c '^b| h1: $' "$tmp/stderr")" 1
[ "$failures" = 0 ] || cat "$tmp/stdout" "$tmp/stderr"
nothing_left 'after it'
finish

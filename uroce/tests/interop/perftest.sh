#!/bin/bash
# SPDX-License-Identifier: MIT
#
# perftest on the device and on the kernel's rxe, both ways: every operation, latency and
# bandwidth, connected by its own TCP exchange and by the connection manager.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
need ib_write_lat ib_atomic_bw

port=18700
# perftest PROGRAM OPTION...: the server at one side, then the other
perftest() {
	local program=$1 wait late

	shift
	for side in rxe uroce; do
		port=$((port + 1))
		wait=$port/tcp late=
		# it connects twice, and not again when the server is not yet there
		case " $* " in *' -R'*) wait=$port late=delay=400ms,dir=out,op=UD_SEND_ONLY,qpn=1 ;; esac
		pair "$program $*" $side $wait "\$on $program -p $port -F $*" \
			"UROCE_FAULT=$late \$on $program -p $port -F $* \$peer"
	done
}

for what in write read send atomic; do
	perftest ib_${what}_lat -n 20
	perftest ib_${what}_bw -n 50 -R
done
perftest ib_send_lat -n 20 -c UD -s 64 -R
perftest ib_write_bw -n 40 -c UC -s 1000
perftest ib_send_bw -n 40 -c UC -s 1000
perftest ib_read_bw -n 40 -q 4 -o 4 -s 3001 -m 512
perftest ib_write_bw -n 40 -q 4 -b -s 3001
finish

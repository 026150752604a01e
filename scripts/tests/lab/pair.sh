#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rxe-lab pair: rping between two machines, statuses, and a capture.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
can_run pair
command -v rping > /dev/null || skip 'missing: rdmacm-utils (rping); apt-get install rdmacm-utils'

"$lab" pair -p "$tmp/pair.pcap" 'rping -s -a 10.0.0.1 -C 3; echo status $?' \
	'rping -c -a 10.0.0.1 -C 3; echo status $?; hostname' > "$tmp/out" 2>&1
equal 'status' $? 0
has 'server' "$tmp/out" '^h1: status 0'
has 'client' "$tmp/out" '^h2: status 0'
has 'the client is another machine' "$tmp/out" '^h2: h2$'
if command -v tshark > /dev/null; then
	tshark -r "$tmp/pair.pcap" -Y infiniband > "$tmp/decoded" 2> /dev/null
	has 'capture: ConnectRequest' "$tmp/decoded" 'CM: ConnectRequest'
	has 'capture: RDMA Write' "$tmp/decoded" 'RC RDMA Write'
	has 'capture: RDMA Read' "$tmp/decoded" 'RC RDMA Read Response'
	has 'capture: from both' "$tmp/decoded" '10\.0\.0\.1 (→|->) 10\.0\.0\.2'
else
	echo 'not checked: the capture (tshark is missing)'
fi

"$lab" pair -d 0 'exit 3' 'lab-wait rc1; exit 0' > /dev/null 2>&1
equal 'the status of a server that fails first' $? 3
"$lab" pair -d 0 -g 1 'sleep 1000' 'lab-wait up1; exit 4' > /dev/null 2> "$tmp/err"
equal "the client's status" $? 4
has 'a server without end is ended' "$tmp/err" 'still running'
nothing_left 'after all of them'
finish

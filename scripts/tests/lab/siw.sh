#!/bin/bash
# SPDX-License-Identifier: MIT
#
# -D siw: rping over soft-iWARP, in one machine and between two.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
can_run -D siw pair
command -v rping > /dev/null || skip 'missing: rdmacm-utils (rping); apt-get install rdmacm-utils'

"$lab" run -D siw 'rdma link; rping -s -a 10.0.0.2 -C 5 & lab-wait 7174; rping -c -a 10.0.0.2 -C 5; echo status $?' > "$tmp/out" 2>&1
equal 'status' $? 0
has 'the device' "$tmp/out" 'link siw1/1 '
has 'rping' "$tmp/out" '^status 0'
"$lab" pair -D siw -p "$tmp/siw.pcap" 'rping -s -a 10.0.0.1 -C 3' 'rping -c -a 10.0.0.1 -C 3' > "$tmp/out" 2>&1
equal 'two machines' $? 0
ok 'MPA is on the wire' grep -qa 'MPA ID Req Frame' "$tmp/siw.pcap"
finish

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rxe-lab bridge: a network namespace of this host and a machine.

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh"
can_run bridge

"$lab" bridge -p "$tmp/bridge.pcap" \
	'lab-wait up1; busybox ping -c 2 10.0.0.1; s=$?; touch $LAB_DIR/pinged; exit $s' \
	'lab-wait pinged; busybox ping -c 1 10.0.0.2' > "$tmp/out" 2>&1
equal 'status' $? 0
has 'the namespace pings the machine' "$tmp/out" '^ns: 2 packets transmitted, 2 packets received'
ok 'a capture' [ "$(stat -c %s "$tmp/bridge.pcap")" -gt 200 ]
ok 'the device is not on this host' [ ! -e /sys/class/net/eth0/tun_flags ]

"$lab" bridge 'exit 5' 'exit 0' > /dev/null 2>&1
equal "the host command's status" $? 5
"$lab" bridge 'sleep 1000 & sleep 1000' 'exit 6' > /dev/null 2>&1
equal "the machine's status, which ends the host's command" $? 6
nothing_left 'after all of them'
finish

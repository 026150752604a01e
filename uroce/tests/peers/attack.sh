#!/bin/bash
# SPDX-License-Identifier: MIT
#
# attack.sh UROCE ATTACK [KIND...]: hostile packets at two QPs that work: attack.c.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
attack=$2
shift 2
# memory that a sanitizer keeps after it was freed is no growth
export ASAN_OPTIONS=quarantine_size_mb=1:thread_local_quarantine_size_kb=64${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# what is put on the wire as it was is not taken for a packet from elsewhere with our address
for option in route_localnet accept_local; do
	echo 1 >/proc/sys/net/ipv4/conf/all/$option
	echo 1 >/proc/sys/net/ipv4/conf/lo/$option
done
[ $# -gt 0 ] || set -- random icrc truncated strange spoofed elsewhere mads mads-spoofed replay
for kind in "$@"; do
	# what is replayed was seen on the wire
	[ "$kind" != replay ] || unset UROCE_PATH
	each "$kind" timeout 60 "$uroce" "$attack" "$kind"
done
finish

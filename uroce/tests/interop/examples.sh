#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Those of scripts/examples/ that have two ends: one on the device, the other on the kernel's
# rxe, both ways; and rping's contract, spoken by a script, with rping itself.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh" "$@"
need rping

examples=$(realpath "$(dirname "$0")/../../../scripts/examples")
for file in $(grep -l '^# .*client ADDRESS' "$examples"/*.rdma); do
	port=7471
	! grep -q 'source lib/meet' "$file" || port=7000/tcp
	! grep -q 'rpc listen 7100' "$file" || port=7100/tcp
	both "$(basename "$file")" $port "\$on \$rdmash -q -f $file server" \
		"\$on \$rdmash -q -f $file client \$peer"
done
both "a script's rping, rping -s, IPv6" 7174 '$on rping -s -a $me6 -C 3 -V' \
	"\$on \$rdmash -q -f $examples/rping-client.rdma \$peer6 3"
both "rping -c, a script's, IPv6" 7174 "\$on \$rdmash -q -f $examples/rping-server.rdma \$me6" \
	'$on rping -c -a $peer6 -C 3 -V'
finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# bad-input.sh RDMASH: whatever is wrong with input, peers and machines gives one clear message
# and the documented exit code. On this host, in a machine without a device, and in one with two,
# where bad-input-guest.sh continues.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
rdmash=$1
can_run

# asked for a device, rdmash does not bring its own
none() { # WHAT COMMAND...
	local what=$1 status
	shift
	"$@" --device rxe0 -k -c 'reg 4096' -c 'listen 7471' -c 'connect 10.0.0.1 7471' -c 'devices' \
		-c 'echo usable' > "$tmp/out" 2> "$tmp/err" < /dev/null
	status=$?
	equal "$what: code" "$status" 1
	has "$what: message" "$tmp/err" 'no RDMA device on this machine'
	has "$what: remedy" "$tmp/err" 'rdma link add rxe0 type rxe netdev eth0'
	has "$what: usable" "$tmp/out" usable
	ok "$what: clean" bash -c "! grep -E 'Sanitizer|runtime error' '$tmp/err'"
	"$@" --device rxe0 -c 'require device' -c 'echo not reached' > "$tmp/out" 2>&1 < /dev/null
	equal "$what: require" "$?" 77
}
[ -n "$(ls /sys/class/infiniband 2> /dev/null)" ] || none 'on this machine' "$rdmash"
none 'a machine without' "$lab" run -D none "$rdmash"
ok 'with two devices' "$lab" run -t 1000 "$scripts/tests/command/bad-input-guest.sh" "$rdmash"
finish

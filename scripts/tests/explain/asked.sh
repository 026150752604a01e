#!/bin/bash
# SPDX-License-Identifier: MIT
# asked.sh RDMASH: explain asks the device of a process that is no peer of this session. On uroce.
set -u
rdmash=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"; kill $server' EXIT
"$rdmash" -X -c 'listen 7471 -address 10.0.0.1 -accept -rnr-retry 1; sleep 60s' >"$dir/server" 2>&1 &
server=$!
for _ in $(seq 200); do
	grep -q 'listening' "$dir/server" && break
	sleep 0.05
done
"$rdmash" -X -c 'reg 64; connect 10.0.0.1 7471; post send mr0 -len 5; poll -within 30s; explain' >"$dir/out" 2>&1
grep -Eq "cause +the peer \(rdmash, process $server\): qp0, the peer's QP, has no RECV posted" "$dir/out" &&
	! grep -q '@the' "$dir/out" && exit
cat "$dir/server" "$dir/out"
exit 1

#!/bin/bash
# SPDX-License-Identifier: MIT
# labs.sh RDMASH DEVICE: scripts/labs/, all in one machine of the device: both ends in one
# process, and on uroce also as two; on uroce the script must have spoiled the wire, and repaired it.
set -u
rdmash=$1 device=$2
here=$(cd "$(dirname "$0")" && pwd)
labs=$here/../../labs
failures=0

bad() {
	echo "not ok: $1"
	failures=$((failures + 1))
}

two_processes() {	# FILE
	"$rdmash" -q -f "$1" server > server.out 2>&1 &
	until "$UROCE" status | grep -q listen || ! kill -0 $! 2> /dev/null; do sleep 0.05; done
	"$rdmash" -q -f "$1" client 127.0.0.1 > client.out 2>&1
	echo "client: $?" >> client.out
	wait $!
	echo "server: $?" >> server.out
	cat client.out server.out
}

if [ "$device" != inside ]; then
	for file in "$labs"/*.rdma; do
		"$rdmash" -n "$file" || bad "rdmash -n $file"
	done
	bash "$here/../on.sh" "$device" bash "$here/labs.sh" "$rdmash" inside || exit
	exit $((failures > 0))
fi
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
for file in "$labs"/*.rdma; do
	name=$(basename "$file" .rdma)
	"$rdmash" -q -f "$file" > "$name.out" 2>&1 || bad "$name: exit status $?: $(tail -n 5 "$name.out")"
	[ -n "${RDMASH_DEVICE-}" ] || continue
	two_processes "$file" > "$name.two"
	[ "$(grep -cE '^(client|server): 0' "$name.two")" = 2 ] ||
		bad "$name as two processes: $(cat "$name.two")"
done
# the mesh has a test of its own on uroce; here both ends of a connection are on two devices
if [ -z "${RDMASH_DEVICE-}" ] && command -v mpirun > mpirun.out; then
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 3 \
		"$rdmash" -q -f "$labs/../mesh.rdma" > mesh.out 2>&1
	grep -q '^6 of 6 ok$' mesh.out || bad "mesh: $(cat mesh.out)"
fi
grep -q 'hits=36 misses=4' mr-cache.out || bad "mr-cache: $(cat mr-cache.out)"
if [ -n "${RDMASH_DEVICE-}" ]; then
	for counter in fault_drop fault_delay fault_dup fault_reorder fault_corrupt \
		duplicate_request completer_retry_err bad_icrc; do
		cat netem.out netem.two | grep -Eq "^ +$counter +\+[1-9]" ||
			bad "netem: $counter does not count: $(cat netem.out)"
	done
fi
[ "$failures" = 0 ] && echo ok
exit $((failures > 0))

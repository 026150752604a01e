#!/bin/bash
# SPDX-License-Identifier: MIT
# doctor.sh RDMASH lab|here: the advice of doctor where something is wrong, and where nothing is;
# in the lab also the GIDs of a port with many addresses.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/../../rxe-lab
failed=0

# says WHAT VERDICT CURE COMMAND...: the check called WHAT has this verdict, and CURE in its cure
says() {
	local out
	# shellcheck disable=SC2016  # Tcl's
	out=$("${@:4}" -q -f /dev/stdin "$1" "$2" "$3" 2>&1 <<'EOF'
lassign $argv what verdict cure
set seen {}
foreach check [dict get [doctor] checks] {
	if {[dict get $check what] ne $what} continue
	lappend seen $check
	if {[dict get $check verdict] ne $verdict} continue
	if {$cure eq "" || [string match "*$cure*" [dict get $check cure]]} exit
}
echo "doctor said: $seen"
exit 1
EOF
	) && return
	printf 'not ok: %s should be %s (%s)\n%s\n' "$1" "$2" "$3" "$out"
	failed=1
}

if [ "${2-}" = inside ]; then
	for what in device providers files memlock "UDP 4791" rxe0; do
		says "$what" ok "" "$rdmash"
	done
	says rxe0 note 'rdma resource' "$rdmash"
	says memlock bad "memlock" sh -c 'ulimit -l 64; exec "$0" "$@"' \
		setpriv --bounding-set=-ipc_lock --inh-caps=-all "$rdmash"
	seq -f 'address add 10.99.0.%g/32 dev eth0' 150 | ip -batch -
	# the kernel makes the GIDs later; it cannot read empty entries
	until [ "$(cat /sys/class/infiniband/rxe0/ports/1/gid_attrs/types/* 2>/dev/null | wc -l)" -gt 150 ]; do
		sleep 0.1
	done
	# shellcheck disable=SC2016  # Tcl's
	"$rdmash" -q -c 'expect -name "GIDs of 150 addresses" -true {[llength [gids rxe0]] > 150}' || failed=1
	ip link set eth1 down
	says rxe1 bad "link set" "$rdmash"
	exit $failed
fi
if [ "${2-}" = lab ]; then
	"$lab" check || exit
	exec "$lab" run bash "$0" "$rdmash" inside
fi
if [ -n "$(ls /sys/class/infiniband 2>/dev/null)" ]; then
	echo "this machine has an RDMA device: skipped"
	exit 77
fi
on="bash $here/../on.sh uroce"
# shellcheck disable=SC2086  # words
{
	says device note "" $on "$rdmash"
	says device note "--device=/dev/infiniband" $on env container=podman "$rdmash"
	says uroce0 ok "" $on "$rdmash"
	$on "$rdmash" -c doctor | grep -qx 'healthy: nothing to repair' || {
		echo 'not ok: a healthy machine is not called so'
		failed=1
	}
	says files bad "ulimit -n" sh -c 'ulimit -n 100; exec "$0" "$@"' $on "$rdmash"
}
exit $failed

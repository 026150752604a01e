#!/bin/bash
# SPDX-License-Identifier: MIT
# on.sh DEVICE COMMAND...: runs a command where it finds this device, and no other.
#   rxe     the kernel's, in a machine of the lab
#   uroce   rdmash on the embedded one, in a network of its own, since its UDP port is
#           one for the whole host; with the addresses of the lab's machine, and others that
#           do not answer (10.0.0.78 has a neighbour entry, but nobody is there)
# Exit status: the command's; 77 with the reason where it cannot be had.
set -u
here=$(cd "$(dirname "$0")" && pwd)
device=$1
shift
case $device in
rxe)
	"$here/../rxe-lab" check || exit
	exec "$here/../rxe-lab" run -t 1100 "$@"
	;;
uroce)
	namespace=(unshare --net)
	[ "$(id -u)" = 0 ] || namespace=(unshare --user --map-root-user --net)
	"${namespace[@]}" true 2>/dev/null || { echo "no network namespaces here: skipped"; exit 77; }
	# shellcheck disable=SC2016
	exec "${namespace[@]}" sh -c '
		ip link set lo up &&
		for a in 10.0.0.1 10.0.0.2 fd00::1 fd00::2; do ip addr add $a dev lo || exit; done
		ip link add wire0 type veth peer name wire1 &&
		for i in wire0 wire1; do ip link set $i addrgenmode none up || exit; done
		ip route add 10.0.0.0/24 dev wire0 src 10.0.0.1
		ip neigh add 10.0.0.78 lladdr 02:00:00:00:00:78 dev wire0
		RDMASH_DEVICE=uroce0 exec "$@"' sh "$@"
	;;
*)
	echo "unknown device $device" >&2
	exit 2
	;;
esac

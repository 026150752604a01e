#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The programs of ibverbs-utils on the device and on the kernel's rxe, both ways: RC, UC, UD, SRQ.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
. "$(dirname "$0")/lib.sh" "$@"
need ibv_rc_pingpong ibv_devinfo

# gids SIDE: sets SIDE_4 and SIDE_6, the indices of its GIDs, at which pingpong looks by their names
gids() {
	local index gid
	while read -r index gid; do
		case $gid in
		::ffff:10.0.0.*) printf -v "$1_4" %s "$index" ;;
		fd00::*) printf -v "$1_6" %s "$index" ;;
		esac
	done < <(at "$1" '$on ibv_devinfo -v' |
		sed -n 's/.*GID\[ *\([0-9]*\)\]:[[:space:]]*\([^,]*\).*/\1 \2/p' | tac)
}
gids uroce
gids rxe

port=18600
# pingpong NAME PROGRAM FAMILY OPTION...
pingpong() {
	local name=$1 program=$2 family=$3 mine=uroce_$3 theirs=rxe_$3
	shift 3
	port=$((port + 1))
	pair "$name, IPv$family" rxe $port/tcp "$program -p $port -g ${!theirs} $*" \
		"\$on $program -p $port -g ${!mine} $* \$peer"
	port=$((port + 1))
	pair "$name, IPv$family" uroce $port/tcp "\$on $program -p $port -g ${!mine} $*" \
		"$program -p $port -g ${!theirs} $* \$peer"
}

for family in 4 6; do
	pingpong rc ibv_rc_pingpong $family -c -n 100
	pingpong uc ibv_uc_pingpong $family -c -n 100 -s 1000
	pingpong ud ibv_ud_pingpong $family -c -n 100 -s 900
	pingpong srq ibv_srq_pingpong $family -c -n 100 -q 4
done
pingpong 'rc, events' ibv_rc_pingpong 4 -c -n 50 -e
# odd sizes, of each path MTU
for mtu in 256 512 1024; do
	pingpong "rc, 10001 bytes by $mtu" ibv_rc_pingpong 4 -c -n 10 -s 10001 -m $mtu
done
pingpong 'rc, 1 byte' ibv_rc_pingpong 4 -c -n 50 -s 1
pingpong 'rc, 3 MiB' ibv_rc_pingpong 4 -c -n 4 -s 3145728
finish

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The programs of ibverbs-utils, unmodified, each as two processes.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
need ibv_rc_pingpong ibv_devinfo

ok 'ibv_devices' bash -c "'$uroce' ibv_devices | grep -q uroce0"
ok 'ibv_devinfo -v' bash -c "'$uroce' ibv_devinfo -v | grep -q 'state:.*PORT_ACTIVE'"


# a name of one's own: found by it, and only by it; what cannot be a name says why
named() { UROCE_DEVICES=$1 "$uroce" "${@:2}" 2>&1; }
named_devices() { named rxe_0 ibv_devices | grep -w rxe_0 && ! named rxe_0 ibv_devices | grep uroce0; }
ok 'UROCE_DEVICES: ibv_devices' named_devices
ok 'UROCE_DEVICES: ibv_devinfo -d' bash -c "UROCE_DEVICES=rxe_0 '$uroce' ibv_devinfo -d rxe_0 | grep ACTIVE"
not_found() { ! named rxe_0 ibv_devinfo -d uroce0; }
ok 'UROCE_DEVICES: no other' not_found
refused() { ! named "$@" >"$tmp/refused" && grep -F "uroce: UROCE_DEVICES: '$1' cannot be the name of a device: take" "$tmp/refused"; }
ok 'UROCE_DEVICES=a.1, the list' refused a.1 ibv_devinfo
ok 'UROCE_DEVICES=../a, the connection manager' refused ../a rping -s -a 127.0.0.1 -C 1

# what cannot be used is said as text
as_text() { # VARIABLE
	! env "$1=\033[5m"$'\e]0;x\a' "$uroce" ibv_devinfo >"$tmp/refused" 2>&1 && grep -q "^uroce: $1" "$tmp/refused" &&
		[ -z "$(tr -d '\n\t[:print:]' <"$tmp/refused")" ]
}
for variable in UROCE_DEVICES UROCE_PATH UROCE_ORDER UROCE_FAULT; do
	ok "$variable that controls a terminal" as_text $variable
done
(ulimit -n 5 && exec "$uroce" status) >"$tmp/refused" 2>&1
ok 'status without descriptors' grep '^uroce: status: Too many open files' "$tmp/refused"

gids=$("$uroce" ibv_devinfo -v | sed -n 's/.*GID\[ *\([0-9]*\)\]:[[:space:]]*\([^,]*\).*/\1 \2/p')
v4=$(awk '$2 ~ /ffff:127/ { print $1; exit }' <<<"$gids")
v6=$(awk '$2 == "::1" { print $1; exit }' <<<"$gids")
[ -n "$v4" ] || not_ok "no GID of 127.0.0.1 in: $gids"
[ -n "$v6" ] || not_ok "no GID of ::1 in: $gids"

port=18600
# pair NAME PROGRAM OPTION...
pair() {
	local name=$1 program=$2
	shift 2
	port=$((port + 1))
	both "$name" "until_port $port" "'$uroce' $program -p $port $*" \
		"'$uroce' $program -p $port $* 127.0.0.1"
}

for program in rc uc ud srq; do
	for gid in $v4 $v6; do
		extra=
		[ $program != srq ] || extra='-q 4'
		[ $program = srq ] || extra="$extra -c"
		[ $program != ud ] || extra='-s 1000'
		pair "$program gid $gid" "ibv_${program}_pingpong" -g "$gid" -n 500 "$extra"
		pair "$program gid $gid, events" "ibv_${program}_pingpong" -g "$gid" -n 500 -e "$extra"
	done
done
export UROCE_DEVICES=rxe_0
pair 'rc, on a device called rxe_0' ibv_rc_pingpong -d rxe_0 -g "$v4" -n 20
unset UROCE_DEVICES
pair 'rc, new post API' ibv_rc_pingpong -g "$v4" -n 500 -N
for size in 1 4097 1048576; do
	pair "rc, $size bytes" ibv_rc_pingpong -g "$v4" -n 20 -s $size -m 1024
done
finish

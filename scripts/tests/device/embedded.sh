#!/bin/sh
# SPDX-License-Identifier: MIT
# embedded.sh RDMASH: where liburoce.so cannot be loaded, rdmash says why. An rdmash with file
# capabilities can use it, too, and so can the programs that it starts.
# shellcheck source-path=SCRIPTDIR source=/dev/null
# shellcheck disable=SC2154 # run.inc sets them
. "$(dirname "$0")/../../../shell/tests/run.inc"

unset RDMASH_DEVICE # the choice of the device is tested here
mkdir uroce
cp "$rdmash" rdmash
library=$(dirname "$rdmash")/uroce/liburoce.so
rdmash="timeout 60 $dir/rdmash"
# as run, of a command in several words
try() {
	# shellcheck disable=SC2086
	$rdmash "$@" >out.txt 2>err.txt </dev/null
	code=$?
	err=$(cat err.txt)
}
# interrupted COMMAND SCRIPT TEXT ERROR: the script prints TEXT, gets SIGINT, and fails with ERROR
interrupted() {
	# without timeout(1), which would send the signal twice: to the program and to its group
	env --default-signal=INT "$dir/rdmash" --device rxe_0 "$2" >out.txt 2>err.txt &
	pid=$!
	until grep -q "$3" out.txt || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
	kill -INT $pid
	wait $pid
	wants "$1, interrupted: code" $? 4
	has "$1, interrupted" "$(cat err.txt)" "$4"
}

: >uroce/liburoce.so # no library
try --device uroce0 -c version
wants 'asked for, broken: code' "$code" 1
has 'asked for, broken: why' "$err" 'file too short'
has 'asked for, broken: the remedy' "$err" 'cmake --build build'
if [ ! -e /sys/class/infiniband ] || [ -z "$(ls /sys/class/infiniband)" ]; then
	try -c 'echo usable' -k -c pd
	has 'needed, broken: goes on' "$(cat out.txt)" usable
	has 'needed, broken: why' "$err" 'nor uroce0: liburoce.so: '
fi

cp "$library" uroce/
chmod -R a+rX .
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
if $nobody true 2>/dev/null && setcap cap_net_raw+ep rdmash 2>/dev/null; then
	rdmash="timeout 60 $nobody $dir/rdmash"
	try --device uroce0 -c device
	wants 'file capabilities: code' "$code" 0
	has 'file capabilities' "$(cat out.txt)" uroce0
else
	echo 'no right to change the user or file capabilities: that part is left out'
fi
rdmash="timeout 60 $dir/rdmash"
try --device uroce0 --unsafe -c 'echo [exec ibv_devices]'
has 'a program at the prompt' "$(cat out.txt)" uroce0
export UROCE_DEVICES=rxe_0
try --device rxe_0 -c pd -c 'call ibv_get_device_guid rxe_0'
wants 'a name of its own: code' "$code" 0
has 'a GUID in hex' "$(cat out.txt)" '0x0200c0'
if [ ! -e /sys/class/infiniband ] || [ -z "$(ls /sys/class/infiniband)" ]; then
	try -c pd
	has 'a name of its own, told' "$err" 'using rxe_0, RoCEv2'
fi
try --csv -c 'set at [dict get [device] address]; reg 64 -name window -access local-write,remote-write' \
	-c 'listen 7471 -address $at -accept -share window; connect $at 7471; reg 64 -name buf' \
	-c 'bench write buf -len 8 -repeat 10'
grep -Eq ',[0-9]+\.[0-9]{1,2},[0-9]+\.[0-9]{1,2}$' out.txt ||
	wants 'rates with two places' "$(cat out.txt err.txt)" 'per_second,mb_per_second'
# completions never stop coming: an interrupt ends it all the same, with what was measured. A byte of buf
# is changed when the last change has arrived in the window: after three changes something was measured.
cat >endless.rdma <<'end'
set at [dict get [device] address]
reg 64 -name window -access local-write,remote-write
listen 7471 -address $at -accept -share window
connect $at 7471
reg 64 -name buf
set changes 0
on timer 5ms {
	if {[mem get window 0 1 -hex] == $::changes} {
		if {[incr ::changes] == 4} { echo measuring }
		mem put buf 0 0$::changes -hex
	}
}
bench write buf -repeat 100000000
end
interrupted bench endless.rdma measuring 'so far      write  8 B  n '
# a function that waits was interrupted, too, and has not timed out
cat >waits.rdma <<'end'
set context [call ibv_open_device [dict get [open] name]]
on timer 50ms {echo waiting}
call ibv_get_async_event $context -within 60s
end
interrupted call waits.rdma waiting 'interrupted by a signal'
# little memory: it is enough, or a line says that it is not. A sanitizer's program needs terabytes.
if ! nm "$1" | grep -q ' __[at]san_init'; then
	for kib in 15000 20000 40000 60000 100000 300000; do
		prlimit --as=$((kib * 1024)) $rdmash -q -X -c 'reg 4096' -c 'echo ok' >out.txt 2>err.txt
		code=$?
		case "$kib $code $(cat out.txt)" in
		*' 0 '*ok | [1-6]0000' '1' ' | 15000' '1' ' | *' 70 ') ;;
		*) wants "ulimit -v $kib" "$code $(cat out.txt err.txt)" '0, or a line and 1 or 70' ;;
		esac
		[ $code = 0 ] || [ -s err.txt ] || wants "ulimit -v $kib: says why" '' 'a line'
	done
	wants 'ulimit -v 300000' "$code" 0
fi
# without /proc
if unshare --mount umount -l /proc 2>/dev/null; then
	unshare --mount sh -c 'umount -l /proc && exec "$@" -X --device uroce0 -c show' sh $rdmash >out.txt 2>err.txt
	wants 'without /proc' "$? $(grep -c '/proc is not mounted here' err.txt)" '1 1'
fi
finish

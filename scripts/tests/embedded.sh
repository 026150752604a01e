#!/bin/sh
# SPDX-License-Identifier: MIT
# embedded.sh RDMASH: where liburoce.so cannot be loaded, rdmash says why; a program with file
# capabilities has it, too; and the programs that it starts.
# shellcheck source-path=SCRIPTDIR source=/dev/null
# shellcheck disable=SC2154 # run.inc sets them
. "$(dirname "$0")/../../shell/tests/run.inc"

mkdir uroce
cp "$rdmash" rdmash
library=$(dirname "$rdmash")/uroce/liburoce.so
rdmash="timeout 20 $dir/rdmash"
# as run, of a command in several words
try() {
	# shellcheck disable=SC2086
	$rdmash "$@" >out.txt 2>err.txt </dev/null
	code=$?
	err=$(cat err.txt)
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
if setcap cap_net_raw+ep rdmash 2>/dev/null; then
	rdmash="timeout 20 setpriv --reuid 65534 --regid 65534 --clear-groups $dir/rdmash"
	try --device uroce0 -c device
	wants 'file capabilities: code' "$code" 0
	has 'file capabilities' "$(cat out.txt)" uroce0
else
	echo 'no right to set file capabilities: that part is left out'
fi
rdmash="timeout 20 $dir/rdmash"
try --device uroce0 --unsafe -c 'echo [exec ibv_devices]'
has 'a program at the prompt' "$(cat out.txt)" uroce0
finish

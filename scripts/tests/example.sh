#!/bin/bash
# SPDX-License-Identifier: MIT
# example.sh RDMASH MODE FILE: one of scripts/examples/ on a real device in the lab.
#   one    both ends in one process
#   pair   two machines: server on the first, client on the second
#   siw    both ends in one process on soft-iWARP: passes, or ends with its require
set -u
rdmash=$1 mode=$2 file=$3
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/../rxe-lab

"$lab" check || exit
case $mode in
one)
	exec "$lab" run "$rdmash" -q -f "$file"
	;;
pair)
	exec "$lab" pair "$rdmash -q -f $file server 10.0.0.1" "$rdmash -q -f $file client 10.0.0.1"
	;;
siw)
	"$lab" check -D siw || exit
	out=$("$lab" run -D siw "$rdmash" -q -f "$file" 2>&1)
	status=$?
	printf '%s\n' "$out"
	if [ "$status" = 77 ]; then # here a script that iWARP cannot do is no skipped test
		grep -q 'require' <<<"$out" || { echo "no reason given"; exit 1; }
		exit 0
	fi
	exit "$status"
	;;
*)
	echo "unknown mode $mode" >&2
	exit 2
	;;
esac

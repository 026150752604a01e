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
# SEND, WRITE and READ over the CM; all else ends with its require
iwarp_can="private-data read send-recv srq write-read"

"$lab" check || exit
case $mode in
one)
	"$lab" run "$rdmash" -q -f "$file"
	status=$?
	;;
pair)
	printf -v play '%q -q -f %q' "$rdmash" "$file" # in a text for bash
	"$lab" pair "$play server 10.0.0.1" "$play client 10.0.0.1"
	status=$?
	;;
siw)
	"$lab" check -D siw || exit
	out=$("$lab" run -D siw "$rdmash" -q -f "$file" 2>&1)
	status=$?
	printf '%s\n' "$out"
	case " $iwarp_can " in
	*" $(basename "$file" .rdma) "*) ;;
	*)
		grep -q 'require' <<<"$out" && [ "$status" = 77 ] && exit 0
		echo "expected: exit status 77 and the reason; got $status"
		exit 1
		;;
	esac
	;;
*)
	echo "unknown mode $mode" >&2
	exit 2
	;;
esac
if [ "$status" = 77 ]; then # rxe can do all of them: a require that says no is wrong
	echo "the script's require was not met"
	exit 1
fi
exit "$status"

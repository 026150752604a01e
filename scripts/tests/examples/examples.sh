#!/bin/bash
# SPDX-License-Identifier: MIT
# examples.sh RDMASH MODE FILE...: scripts/examples/ on a real device.
#   rxe    all FILEs in one machine, both ends in one process, on the kernel's rxe: each passes
#   pair   all FILEs between two machines: server on the first, client on the second
#   uroce  both ends in one process, on the embedded device
#   uroce-pair  two processes on it
#   siw    all FILEs in one machine, both ends in one process on soft-iWARP: each passes, or
#          ends with its require
set -u
rdmash=$1 mode=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../wait.sh
. "$here/../wait.sh"
lab=$here/../../rxe-lab
# SEND, WRITE and READ over the CM; all else ends with its require
iwarp_can="both-ends private-data protobuf read reject send-recv srq write-read"

# on_iwarp FILE: in the machine
on_iwarp() {
	local out status name
	name=$(basename "$1" .rdma)
	out=$("$rdmash" -q -f "$1" 2>&1)
	status=$?
	case " $iwarp_can " in
	*" $name "*) [ "$status" = 0 ] && echo "ok: $name passes" && return ;;
	*) grep 'require' <<<"$out" && [ "$status" = 77 ] && return ;;
	esac
	printf '%s\n' "$out"
	echo "not ok: $name: exit status $status, and neither passed nor 77 with a reason"
	return 1
}

# told STATUS WHAT
told() {
	if [ "$1" = 0 ]; then echo "ok: $2"; else echo "not ok: $2: exit status $1"; fi
	return "$1"
}

# on_rxe FILE: in the machine
on_rxe() {
	local out status
	out=$("$rdmash" -q -f "$1" 2>&1)
	status=$?
	[ "$status" = 0 ] || printf '%s\n' "$out"
	told "$status" "$(basename "$1")"
}

if [ "$mode" = siw-inside ] || [ "$mode" = rxe-inside ]; then
	status=0
	for file; do
		if [ "$mode" = siw-inside ]; then
			on_iwarp "$file"
		else
			on_rxe "$file"
		fi || status=1
	done
	exit "$status"
fi
# servers FILE..., clients FILE...: one after the other, each in its machine; $LAB_DIR/listens.N
# tells the other one. A server ends by itself, and has something to check before it does.
servers() {
	local n=0 status=0
	for file; do
		n=$((n + 1))
		timeout 300 "$rdmash" -q -f "$file" server &
		until listens || ! kill -0 $! 2>/dev/null; do nap 0.1; done
		touch "$LAB_DIR/listens.$n"
		wait $!
		told $? "$(basename "$file"), server" || status=1
	done
	exit "$status"
}

clients() {
	local n=0 status=0
	for file; do
		n=$((n + 1))
		until [ -e "$LAB_DIR/listens.$n" ]; do nap 0.05; done
		timeout 300 "$rdmash" -q -f "$file" client 10.0.0.1
		told $? "$(basename "$file"), client" || status=1
	done
	exit "$status"
}

case $mode in
servers) servers "$@" ;;
clients) clients "$@" ;;
esac
if [ "$mode" = uroce-inside ]; then # two processes, and the network has no others
	"$rdmash" -q -f "$1" server &
	until listens || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
	"$rdmash" -q -f "$1" client 127.0.0.1 || exit
	wait $!
	exit
fi
case $mode in
rxe)
	bash "$here/../on.sh" rxe bash "$here/examples.sh" "$rdmash" rxe-inside "$@"
	status=$?
	;;
uroce)
	bash "$here/../on.sh" uroce "$rdmash" -q -f "$1"
	status=$?
	;;
uroce-pair)
	bash "$here/../on.sh" uroce bash "$here/examples.sh" "$rdmash" uroce-inside "$1"
	status=$?
	;;
pair)
	"$lab" check pair || exit
	"$lab" pair -t 1100 -g 60 -d 0 "$(printf '%q ' bash "$here/examples.sh" "$rdmash" servers "$@")" \
		"$(printf '%q ' bash "$here/examples.sh" "$rdmash" clients "$@")"
	exit
	;;
siw)
	"$lab" check -D siw || exit
	"$lab" run -D siw -t 580 bash "$here/examples.sh" "$rdmash" siw-inside "$@"
	exit
	;;
*)
	echo "unknown mode $mode" >&2
	exit 2
	;;
esac
if [ "$status" = 77 ]; then # both devices can do all of them: a require that says no is wrong
	echo "the script's require was not met"
	exit 1
fi
exit "$status"

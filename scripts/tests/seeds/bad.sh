#!/bin/bash
# SPDX-License-Identifier: MIT
# bad.sh RDMASH [WORD]: seed scripts against ends that break their contract (bad.list) or
# are killed at any step, on the embedded device, each case (those with WORD) in a network of its
# own. A script must end without help and in time, say what was wrong, and leak nothing.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
seeds=$(cd "$here/../../seeds" && pwd)
steps=26 # of a script that the other end is killed at; beyond its last one it is not

# run OPTION... : rdmash, which waits $within for its other end
run() {
	timeout 90 "$rdmash" --allow-dir "$dir" -c "set within $within" "$@" </dev/null 2>&1
}
seed() {
	run -f "$seeds/$1.rdma" -- "${@:2}"
}
other() {
	seed "$@" >"$dir/other"
}
hostile() {
	run --allow-dir "$seeds" -f "$here/hostile.rdma" -- "$seeds" "$@" >"$dir/other"
}
# A step is a command that may do something with the device or the other end. Before number
# STOP the process kills itself.
doomed() {
	# shellcheck disable=SC2016 # its own variables
	run --unsafe -c "set stop $1" -c 'set step 0
		proc step args { if {[incr ::step] == $::stop} { exec kill -KILL [pid] } }
		foreach word {listen connect accept reg post poll cm wait disconnect} {
			tcl_trace add execution $word enter step
		}' -f "$seeds/$2.rdma" -- "${@:3}" >"$dir/other"
}

await_listening() { # or the end of process $1
	until "$UROCE" status 2>/dev/null | grep -q listens ||
		grep -qs ' 0A ' /proc/net/tcp /proc/net/tcp6 || ! kill -0 "$1" 2>/dev/null; do
		sleep 0.02
	done
}

# one END WHAT STATUS TEXT WORDS OTHER
one() {
	local status pid address=10.0.0.1 dir within=60s
	case $2 in # only time ends these
		*'says nothing'* | *'wrong mode'*) within=15s ;; # long enough for the other end to come
		*'nobody comes'* | *killed*) within=2s ;;
	esac
	dir=$(mktemp -d /tmp/seeds-bad.XXXXXX)
	mkdir "$dir/folder" && echo 'hello, file' >"$dir/there" && ln -s nothing "$dir/link"
	if [ "$1" = server ]; then
		eval "seed ${5//@/$address}" >"$dir/out" &
		pid=$!
		await_listening $pid
		eval "${6//@/$address}"
		wait $pid
		status=$?
	else
		eval "${6//@/$address}" &
		pid=$!
		await_listening $pid
		eval "seed ${5//@/$address}" >"$dir/out"
		status=$?
		wait $pid
	fi
	if [[ ,$3, = *,$status,* ]] && grep -qE -- "$4" "$dir/out" &&
		! grep -qE 'Sanitizer|runtime error' "$dir/out"; then
		echo "ok: $1, $2: exit status $status"
	else
		echo "not ok: $1, $2: exit status $status, wanted $3 and '$4'"
		sed 's/^/    /' "$dir/out" "$dir/other"
	fi
	rm -r "$dir"
}

cases() {
	local n ends='the connection has ended|been silent for|no request within|REJECTED'
	ends+='|UNREACHABLE|no ESTABLISHED|no DISCONNECTED|checks passed, 0 failed'
	sed '/^#/d' "$here/bad.list"
	for ((n = 1; n <= steps; n++)); do
		# shellcheck disable=SC2016 # | stands between the fields
		printf '%s\n' \
			"server|send-recv, client killed at step $n|0,1|ENDS|geek-send-recv-server 7100 1|doomed $n geek-send-recv-client @ 7100" \
			"client|send-recv, server killed at step $n|0,1|ENDS|geek-send-recv-client @ 7100|doomed $n geek-send-recv-server 7100 1" \
			"server|read-write, client killed at step $n|0,1|ENDS|geek-read-write-server read 7100 1|doomed $n geek-read-write-client read @ 7100" \
			"client|read-write, server killed at step $n|0,1|ENDS|geek-read-write-client read @ 7100|doomed $n geek-read-write-server read 7100 1"
	done | sed "s/ENDS/${ends//|/\\x01}/"
}

if [ "${2-}" = -1 ]; then # a line of cases
	IFS='|' read -r end what status text words against <<<"$3"
	exec 2>/dev/null # bash tells of what is killed
	one "$end" "$what" "$status" "${text//$'\x01'/|}" "$words" "$against"
	exit
fi
said=$(cases | grep -F -- "${2-}" | tr '\n' '\0' |
	xargs -0 -P 4 -n 1 bash "$here/../on.sh" uroce bash "$here/bad.sh" "$rdmash" -1)
printf '%s\n' "$said"
grep -q skipped <<<"$said" && exit 77
echo "$(grep -c '^ok' <<<"$said") of $(cases | grep -cF -- "${2-}") cases as they should be"
[ "$(grep -c '^ok' <<<"$said")" = "$(cases | grep -cF -- "${2-}")" ]

#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016
# peers.sh RDMASH: an rpc server and clients as processes of their own, on the embedded
# device: ends that are killed, stopped, silent, of another protocol.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
[ "${2-}" = inside ] || exec bash "$here/../on.sh" uroce bash "$0" "$rdmash" inside

tmp=$(mktemp -d) || exit 1
failures=0
finish() {
	kill "${server-}" 2>/dev/null
	rm -rf "$tmp"
	exit $((failures > 0))
}
trap finish EXIT

# has WHAT FILE PATTERN
has() {
	if grep -Eq -- "$3" "$2"; then
		echo "ok: $1"
	else
		echo "not ok: $1: no $3 in:"
		cat "$2"
		failures=$((failures + 1))
	fi
}

# until_in FILE PATTERN: waits for it, 20 s
until_in() {
	for _ in $(seq 400); do
		grep -Eq -- "$2" "$1" && return
		sleep 0.05
	done
	echo "not ok: no $2 in time in:"
	cat "$1"
	failures=$((failures + 1))
}

serve() {
	: >"$tmp/server"
	"$rdmash" -c 'rpc serve add {a:int b:int} {expr {$a + $b}}' \
		-c 'rpc serve slow ms:int {echo slow begins; sleep $ms; return done}' \
		-c 'rpc listen 7100 -address :: -within 10s' -c 'echo listening' -c 'rpc run -within 60s' >"$tmp/server" 2>&1 &
	server=$!
	until_in "$tmp/server" listening
}

# client NAME COMMAND...: in the background; pid in $client
client() {
	local name=$1 args=()
	shift
	for c; do args+=(-c "$c"); done
	"$rdmash" -q -c 'rpc connect 10.0.0.1 7100' -c 'echo connected' "${args[@]}" \
		>"$tmp/$name" 2>&1 &
	client=$!
}

serve
# who speaks another protocol is told so or dropped, and others are served
exec 3<>/dev/tcp/10.0.0.1/7100
printf 'GET / HTTP/1.1\r\n\r\n' >&3
until_in "$tmp/server" 'is this another protocol'
exec 3<>/dev/tcp/10.0.0.1/7100
printf '\0\0\0\2{}' >&3
until_in "$tmp/server" "the peer is no end of rpc"
has 'the reason is told' <(timeout 120 cat <&3 | tr -d '\0') 'no: the peer is no end of rpc'
exec 3<>/dev/tcp/10.0.0.1/7100
printf '\xff\xff\xff\xff' >&3
until_in "$tmp/server" 'no length between'
exec 4<>/dev/tcp/10.0.0.1/7100 # says nothing
client good 'echo [rpc call rpc0 add 1 2]'
wait "$client"
has 'others are served meanwhile' "$tmp/good" '^3$'
until_in "$tmp/server" 'has not said who it is within 10000 ms'
echo "ok: who says nothing is dropped"
exec 3>&- 4>&-

# a client that is killed, with a call under way
client victim 'rpc call rpc0 slow 300' 'echo not reached'
until_in "$tmp/server" 'slow begins'
kill -9 "$client"
wait "$client" 2>/dev/null
until_in "$tmp/server" '[01] calls answered'
client again 'echo [rpc call rpc0 add 20 22]' 'rpc close' 'echo [dict size [show]] objects'
wait "$client"
has 'a new client has a session of its own' "$tmp/again" '^42$'
has 'after rpc close the device and its PD are left' "$tmp/again" '^2 objects'

# a server that is stopped: the deadline passes; that goes on: the call is answered
client patient 'while {![catch {rpc call rpc0 add 2 2 -within 300} why opts]} {}' \
	'echo [dict get $opts -errorcode] $why' 'echo [rpc call rpc0 add 3 3 -within 30s]'
until_in "$tmp/patient" connected
kill -STOP "$server"
until_in "$tmp/patient" 'ETIMEDOUT'
kill -CONT "$server"
wait "$client"
has 'a server that is stopped: the deadline' "$tmp/patient" 'RDMASH rpc ETIMEDOUT add: no reply within 300 ms'
has 'it goes on: answered' "$tmp/patient" '^6$'

# a server that is killed
: >"$tmp/server"
client left 'rpc call rpc0 slow 20000 -within 30s'
until_in "$tmp/left" connected
until_in "$tmp/server" 'slow begins'
kill -9 "$server"
wait "$server" 2>/dev/null
wait "$client"
has 'a server that is killed' "$tmp/left" 'slow: the server is gone: it has closed the connection'
has 'what is not known' "$tmp/left" 'whether the call was executed is not known'

# one that is asked to end
serve
client told 'rpc call rpc0 slow 20000 -within 30s'
until_in "$tmp/server" 'slow begins'
kill -TERM "$server"
wait "$server"
wait "$client"
has 'a server that ends' "$tmp/told" 'the server is gone|was stopped before'
server=

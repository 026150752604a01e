#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bench perftest: compares the results of rdmash's bench with those of perftest, in the same run and
# on the same device: uroce0 on loopback, two processes, in a network namespace of their own. chrt(1)
# gives both real-time priority if it may. Three things would change the results of the same work:
# - regions longer than a message (up to 12 % better): here they are as long as a message, as in perftest;
# - the first 20 ms of a connection, in which a SEND takes three times as long: hence 50,000 messages;
# - no warm-up (5 % of the bandwidth): perftest does one only if asked.
# shellcheck disable=SC2016
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
uroce=${UROCE:-$top/build/bin/uroce}
command -v ib_send_lat >/dev/null || { echo 'bench perftest: no ib_send_lat (package perftest)' >&2; exit 1; }

if [ "${1-}" != inside ]; then
	namespace=(unshare --net)
	[ "$(id -u)" = 0 ] || namespace=(unshare --user --map-root-user --net)
	alone=(chrt -f 10)
	"${alone[@]}" true 2>/dev/null || alone=()
	exec "${namespace[@]}" "${alone[@]}" bash "$0" inside "${1:-5}" "${2-}"
fi
rounds=$2 rows=$3
ip link set lo up

# perftest PROGRAM COLUMN OPTION...: a figure of what the client prints
perftest() {
	local program=$1 column=$2 server
	shift 2

	"$uroce" "$program" -F -p 18515 "$@" >/dev/null 2>&1 &
	server=$!
	until grep -q ':4853 0*:0000 0A' /proc/net/tcp /proc/net/tcp6; do
		kill -0 "$server" || return
		sleep 0.02
	done
	"$uroce" "$program" -F -p 18515 "$@" 127.0.0.1 2>/dev/null |
		awk -v c="$column" '/^ *[0-9]+ +[0-9]+ / { print $c }'
	wait "$server"
}
ours() { "$rdmash" -q --device uroce0 -f "$here/perftest.rdma" -- "$@" 2>/dev/null; }

# row NAME TEXT UNIT GOAL PERFTEST OURS
row() {
	case ,$rows, in
	,, | *,"$1",*) row_run "$@" "$rounds" ;;
	esac
}
# perftest's typical latency is the median. -Q 1: a completion for each request, as rdmash has.
latency() {
	local size="-s $4"

	case $3 in
	ib_atomic_lat) size="-A FETCH_AND_ADD" ;; # which has 8
	esac
	row "$1" "$2" us '+- 0.03' "perftest $3 5 $size -n 50000" "ours $5 $4 50000 $6"
}
bandwidth() {
	row "$1" "$2" MiB/s '+- 0.03' "perftest $3 4 -s $4 -n 20000 -t $6 -Q 1 --perform_warm_up" \
		"ours $5 $4 20000 $6"
}

row_head perftest rdmash
latency read-lat 'READ, 8 bytes, there and back' ib_read_lat 8 read 1
latency read-lat-4k 'READ, 4 KiB, there and back' ib_read_lat 4096 read 1
latency atomic-lat 'FETCH_AND_ADD, there and back' ib_atomic_lat 8 fetch-add 1
bandwidth write-bw 'WRITE, 64 KiB, 32 in flight' ib_write_bw 65536 write 32
bandwidth write-bw-4k 'WRITE, 4 KiB, 128 in flight' ib_write_bw 4096 write 128
bandwidth read-bw 'READ, 64 KiB, 16 in flight' ib_read_bw 65536 read 16

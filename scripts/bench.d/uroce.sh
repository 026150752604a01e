#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bench uroce: perftest's two processes on loopback, in a network namespace of their own, compared with
# what the machine can do without the device: plain sockets (udp.c). A row is a ratio to a baseline, which
# is measured just before in each round.
# shellcheck disable=SC2016
set -eu
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
uroce=${UROCE:-$top/build/bin/uroce}

rounds=5 rows='' part=1 list=
while [ $# != 0 ]; do
	case $1 in
	--rounds) rounds=$2 && shift ;;
	--rows) rows=$2 && shift ;;
	--part) part=$2 && shift ;;
	--list) list=1 ;;
	[1-9]*) rounds=$1 ;;
	*) echo "bench uroce: $1 is none of --rounds N, --rows NAME,..., --part N, --list" >&2 && exit 2 ;;
	esac
	shift
done

[ -n "$list" ] || [ -x "$uroce" ] || {
	echo "bench uroce: there is no program $uroce: build the project, or set UROCE" >&2
	exit 2
}
command -v ib_send_lat >/dev/null || { echo 'bench uroce: no ib_send_lat (package perftest)' >&2; exit 2; }
if [ -z "$list" ] && [ -z "${UROCE_BENCH_NETWORK-}" ]; then
	namespace=(unshare --net)
	[ "$(id -u)" = 0 ] || namespace=(unshare --user --map-root-user --net)
	UROCE_BENCH_NETWORK=1 "${namespace[@]}" bash "$0" --rounds "$rounds" --rows "$rows" --part "$part"
	case ,$rows, in
	,, | *,rxe,* | *,rxe-*) "$scripts/rxe-lab" check && exec bash "$here/beside-rxe.sh" "$rounds" "$rows" ;;
	esac
	exit
fi

prepare() {
	ip link set lo up
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	${CC:-cc} -O2 -D_GNU_SOURCE -o "$dir/udp" "$scripts/bench.d/udp.c"
}
[ -n "$list" ] || prepare

udp() { "$dir/udp" "$@"; }

# few N: N, or the part of it that --part asks for
few() { echo $(($1 / part)); }
# half COMMAND...: one way, from the time of a round trip
half() { "$@" | awk '{ print $1 / 2 }'; }
udp_only() { UROCE_PATH=udp "$@"; }
# busy COMMAND...: beside two programs that take a processor each
busy() {
	local pids=()

	for _ in 1 2; do
		(while :; do :; done) &
		pids+=("$!")
	done
	"$@"
	kill "${pids[@]}"
}

# perftest PROGRAM COLUMNS OPTION...: prints these columns of the client's output
perftest() {
	local program=$1 columns=$2 pid
	shift 2

	"$uroce" "$program" -F -p 18515 "$@" >/dev/null 2>&1 &
	pid=$!
	until grep -q ':4853 0*:0000 0A' /proc/net/tcp /proc/net/tcp6 || # -R: no TCP
		"$uroce" status | grep -q 'port 18515'; do
		kill -0 "$pid" || return
		sleep 0.02
	done
	"$uroce" "$program" -F -p 18515 "$@" 127.0.0.1 2>/dev/null |
		awk -v columns="$columns" '/^ *[0-9]+ +[0-9]+ / {
			n = split(columns, c, ",")
			for (i = 1; i <= n; i++)
				printf "%s%s", $c[i], i < n ? " " : "\n"
		}'
	wait "$pid"
}

# ucx TRANSPORTS PREFIX...: microseconds one way of a tagged message of 64 bytes
ucx() {
	local pid

	UCX_TLS=$1 "${@:2}" ucx_perftest -p 18516 >/dev/null 2>&1 &
	pid=$!
	until grep -q ':4854 0*:0000 0A' /proc/net/tcp /proc/net/tcp6; do
		kill -0 "$pid" || return
		sleep 0.02
	done
	UCX_TLS=$1 "${@:2}" ucx_perftest 127.0.0.1 -p 18516 -t tag_lat -s 64 -n "$(few 50000)" -f 2>/dev/null |
		awk '$1 ~ /^[0-9]+$/ { typical = $2 } END { print typical }'
	wait "$pid"
}

# The CPU time of both ends for repeated SENDs of 64 bytes with answers: in total, and in the kernel.
processor_time() {
	local TIMEFORMAT='%U %S'

	{ time perftest ib_send_lat 5 -s 64 -n "$(few 1000000)" >/dev/null; } 2>&1 | awk '{ print $1 + $2, $2 }'
}

# microseconds a WRITE of 64 bytes, over N connections in turn, one request of each under way
over() { perftest ib_write_bw 5 -s 64 -t 1 -q "$1" -n $((20000 / $1)) | awk '{ print 1 / $1 }'; }

# CPU time in two seconds of an idle process that holds a QP and waits for an event
idle() {
	local pid before after

	"$uroce" "$rdmash" -q -c 'qp create' -c 'listen 7471' -c 'sleep 4s' >/dev/null &
	pid=$!
	until "$uroce" status 2>/dev/null | grep -q listen; do sleep 0.05; done
	sleep 0.5
	before=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	sleep 2
	after=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	wait "$pid"
	echo $((after - before))
}

row() {
	case ,$rows, in
	,, | *,$1,*) ;;
	*) return 0 ;;
	esac
	if [ -n "$list" ]; then
		printf '%-16s  %s\n' "$1" "$2"
	else
		row_run "$@" "$rounds"
	fi
}

if [ -z "$list" ]; then row_head baseline uroce; fi
# 64 bytes of payload: BTH 12, ICRC 4; of UD 8 more for the DETH
row rc 'RC SEND 64 B one way, polling' us '<= 0.5' 'half udp ping busy 80 $(few 30000)' 'perftest ib_send_lat 5 -s 64 -n $(few 30000)'
row ud 'UD SEND 64 B one way, polling' us '<= 0.4' 'half udp ping busy 88 $(few 30000)' 'perftest ib_send_lat 5 -c UD -s 64 -n $(few 30000)'
row events 'RC SEND 64 B one way, events' us '<= 1' 'half udp ping block 80 $(few 10000)' 'perftest ib_send_lat 5 -e -s 64 -n $(few 10000)'
row look 'WRITE 64 B one way, target looks' us '<= 0.4' 'half udp ping busy 80 $(few 30000)' 'perftest ib_write_lat 5 -s 64 -n $(few 20000)'
row look-tail 'its 99.9 % beside its median' us '<= 5' '' 'perftest ib_write_lat 5,9 -s 64 -n $(few 20000)'
row look-busy 'the same, beside two busy programs' us '' 'busy half udp ping busy 80 $(few 10000)' 'busy perftest ib_write_lat 5 -s 64 -n $(few 10000)'
row read-lat 'READ 64 B one way, target sleeps' us '<= 0.5' 'half udp ping busy 80 $(few 30000)' 'perftest ib_read_lat 5 -s 64 -n $(few 20000)'
row read-busy 'the same, beside two busy programs' us '' 'busy half udp ping busy 80 $(few 10000)' 'busy perftest ib_read_lat 5 -s 64 -n $(few 10000)'
for op in write read; do
	row $op "${op^^} 64 KiB" MB/s '>= 1' 'udp stream 4112 16 $(few 500)' "perftest ib_${op}_bw 4 -n $(few 4000)"
	row $op-1024 "${op^^} 64 KiB, MTU 4096 and 1024" MB/s '>= 0.5' "perftest ib_${op}_bw 4 -n $(few 4000)" "perftest ib_${op}_bw 4 -m 1024 -n $(few 4000)"
done
row write-udp 'WRITE 64 KiB, UDP' MB/s '>= 0.7' 'udp stream 4112 16 $(few 500)' 'udp_only perftest ib_write_bw 4 -n $(few 8000)'
row write-cm 'WRITE 64 KiB, -R' MB/s '>= 0.9' 'perftest ib_write_bw 4 -n $(few 4000)' 'perftest ib_write_bw 4 -R -n $(few 4000)'
if command -v ucx_perftest >/dev/null; then
	row ucx 'UCX tag_lat 64 B, its shared memory' us '' 'ucx posix,cma env' 'ucx rc_v,self "$uroce"'
fi
row qps 'WRITE 64 B: 1 QP, 1,000 QPs' us '<= 1.2' 'over 1' 'over 1000'
row preload 'start-up of true, with the preload' ms '' 'wall env true' 'wall env LD_PRELOAD=$("$uroce" --library) true'
row kernel 'SEND 64 B, polling: CPU time, in kernel' s '<= 0.05' '' processor_time
row idle 'an idle process, in 2 s' ticks '= 0' 'echo 1' idle
if [ -n "$list" ]; then bash "$here/beside-rxe.sh" --list; fi

#!/bin/bash
# SPDX-License-Identifier: MIT
# bad-input-guest.sh RDMASH, in the lab's machine or on the embedded device (see on.sh): bad
# input that needs a signal, another user or another process. Each gives one clear message and the
# documented exit code; the session stays usable, and objects are destroyed in order.
# shellcheck disable=SC2154,SC2016 # run.inc sets them; dollars are Tcl's
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/../../../shell/tests/run.inc"
# shellcheck source-path=SCRIPTDIR source=../wait.sh
. "$here/../wait.sh"
device=${RDMASH_DEVICE:-rxe0}

# start NAME SCRIPT: in the background, each command shown as it begins; $pid
start() {
	printf '%s\n' "$2" > "$1.rdma"
	: > "$1.err"
	env --default-signal=INT,HUP "$rdmash" -x "$1.rdma" > "$1.out" 2> "$1.err" < /dev/null &
	pid=$!
}

# until_in FILE TEXT PID: a line has it
until_in() {
	until in_file "$1" "$2"; do
		kill -0 "$3" 2> /dev/null || break
		nap 0.05
	done
	in_file "$1" "$2" || has "never came" "$(cat "$1")" "$2"
}

# ended NAME PID CODE: by itself, in time, with nothing left
ended() {
	timeout 60 tail -s 0.05 --pid="$2" -f /dev/null || kill -KILL "$2"
	wait "$2"
	wants "$1: code" $? "$3"
	if in_file "$1.err" Sanitizer || in_file "$1.err" 'runtime error' ||
		in_file "$1.err" 'left behind'; then
		failures=$((failures + 1))
		cat "$1.err"
	fi
}

pair='listen 7471 -address 10.0.0.1 -name srv
connect 10.0.0.1 7471 -prepare -events -name c
cm connect c -nowait
accept srv -within 60s
cm event c -within 60s
reg 1M -name buf -pd [get [get c qp] pd]'

# ------------------------------------------------------------------- in one process
for script in bad-input ../resources/destroy-order; do
	run -k -q "$here/$script.rdma"
	wants "${script##*/}: code" "$code" 0
	[ "$code" = 0 ] || echo "$err" >&2
done

# A script that ends by a completion: nothing can be typed then, so the error has the cause.
printf '%s\n' 'reg 64 -name window' 'listen 7471 -address 10.0.0.1 -share window -accept' \
	'connect 10.0.0.1 7471' 'post write -text past -at 62' 'poll -ok' > ends.rdma
run -q --junit ends.xml ends.rdma
wants 'it ends by a completion: code' "$code" 1
has 'it ends by a completion' "$err" '  cause       4 bytes at window + 62 '
wants 'it ends by a completion: no prompt' "$(grep -c 'next  *explain' err.txt)" 0
has 'it ends by a completion: the report' "$(cat ends.xml)" '  cause       4 bytes at window + 62 '

# ------------------------------------------------- Ctrl-C in every command that waits
# The last line waits. Not here: what is over at once on this device. rpc is a library: help -json
# does not have it.
tcp="tcp connect 10.0.0.1 [dict get [tcp listen 0] port]"
rpc='rpc connect 127.0.0.1 [dict get [rpc listen 0] port] -name p'
declare -A waits=(
	[accept]=$'listen 7471\naccept'
	[reject]=$'listen 7471\nreject'
	[connect]=$'listen 7471\nconnect 10.0.0.1 7471'
	[disconnect]=$'cm create -name l\ncm bind l 7471 -address 10.0.0.1\ncm listen l
connect 10.0.0.1 7471 -prepare -name c\ncm connect c -nowait
set id [dict get [cm event l] id]\nqp create -id $id\ncm accept $id\ndisconnect c -within 60s'
	[@]=$'peer b\n@b sleep 60s'
	[barrier]=$'peer b\n@b -background sleep 60s\nbarrier -within 60s'
	[bench]="$pair"$'\nbench send buf -repeat 100 -within 60s -qp [get c qp]'
	[call]=$'call -name ch rdma_create_event_channel\ncall -within 60s rdma_get_cm_event ch'
	[poll]=$'qp create\npoll -within 60s'
	[sleep]=$'reg 64\nsleep 60s'
	[cm accept]=$'cm create -name l\ncm bind l 7471 -address 10.0.0.1\ncm listen l
cm create -name c\ncm resolve-addr c 10.0.0.1 7471\ncm resolve-route c
cm connect c -qpn 77 -nowait\nset id [dict get [cm event l] id]\nqp create -id $id\ncm accept $id'
	[cm connect]=$'listen 7471\nconnect 10.0.0.1 7471 -prepare\ncm connect'
	[cm event]=$'cm create\ncm event'
	[cm resolve-addr]=$'cm create\ncm resolve-addr 10.0.0.77 7471 -within 60s'
	[mem watch]=$'reg 64\nmem watch -within 60s'
	[oob accept]=$'qp create\noob listen 0 -background\noob accept'
	[oob connect]=$'qp create\noob connect 10.0.0.78 7000 -within 60s'
	[oob listen]=$'qp create\noob listen 0'
	[rpc call]="$rpc"$'\nrpc serve slow {} { sleep 60s }\nrpc call p slow -within 60s'
	[rpc connect]=$'rpc connect 10.0.0.78 7000 -within 60s'
	[rpc result]="$rpc"$'\nrpc serve slow {} { sleep 60s }\nset n [rpc call p slow -background -within 60s]\nrpc result $n'
	[rpc run]=$'rpc listen 0\nrpc run -within 60s'
	[tcp accept]=$'tcp listen 0\ntcp accept -within 60s'
	[tcp connect]=$'tcp connect 10.0.0.78 7000 -within 60s'
	[tcp recv]="$tcp"$'\ntcp recv tcp0 5 -within 60s'
	[tcp send]="$tcp"$'\nreg 64M\ntcp send tcp0 -mr mr0 -within 60s'
	[wait async]=$'pd\nwait async DEVICE_FATAL -within 60s'
	[wait cq]=$'cq -events\narm\nwait cq -within 60s'
	[show]='show -watch -within 60s'
	[wait event]=$'cm create\nwait event ESTABLISHED -within 60s'
	[wait state]=$'qp create\nwait state RTS -within 60s'
	[wait until]=$'wait until 0 -within 60s'
	[wait wc]=$'cq -events\nwait wc -cq cq0 -within 60s'
)
instant='cm join
cm resolve-route'
elsewhere='peer
rendezvous get' # peer.sh, mesh.sh

all=$("$rdmash" -c 'help -json' | grep -o '"usage":"[^"]* \[-within ms\]' |
	sed 's/"usage":"\([a-z@]*\( [a-z-]*\)\?\).*/\1/; s/ *$//')
wants 'the commands that wait' \
	"$({ printf '%s\n' "${!waits[@]}" "$instant" "$elsewhere"; } | grep -Ev '^(sleep|rpc .*)$' | sort)" \
	"$(sort <<< "$all")"

for name in "${!waits[@]}"; do
	file=int-${name// /-}
	start "$file" $'trace all\npd -name first\n'"${waits[$name]}"
	until_in "$file.err" "+ ${waits[$name]##*$'\n'}" $pid
	kill -INT $pid
	ended "$file" $pid 4
	has "$name: says so" "$(cat "$file.err")" interrupted
	has "$name: the first object goes" "$(tail -n 4 "$file.err")" 'ibv_dealloc_pd first = 0'
done

# ------------------------------------------------------- a terminal that disappears, EPIPE
start hup $'trace all\npd -name first\nlisten 7471 -accept\nsleep 60s'
until_in hup.err '+ sleep' $pid
kill -HUP $pid
ended hup $pid 4
has 'SIGHUP: the first object goes' "$(cat hup.err)" 'ibv_dealloc_pd first = 0'
code=$({ timeout -s KILL 60 "$rdmash" -c 'reg 64; while 1 {catch {repeat 1 devices}}' \
	2> epipe.err; echo $? >&3; } 3>&1 1> >(head -n 1 > /dev/null))
wants 'EPIPE' "$code $(cat epipe.err)" '1 rdmash: standard output: Broken pipe'

# ------------------------------------------------------------------- limits of the machine
if [ "$device" = rxe0 ]; then
	run --device uroce0 -c 'reg 64'
	wants 'both devices: code' "$code" 1
	has 'both devices: whose the port is' "$err" "UDP port 4791 is in use: by the kernel's rdma_rxe"
	has 'both devices: the remedy' "$err" 'rdma link delete'
	( # the embedded device locks no memory
		chmod 755 "$dir"
		chmod 666 /dev/infiniband/*
		ulimit -l 64
		setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all \
			"$rdmash" -k -c 'reg 1M' -c 'reg 4096' -c 'echo usable' > lock.out 2> lock.err
		wants 'memlock: code' $? 1
		has 'memlock: the limit' "$(cat lock.err)" 'the limit of locked memory is 64 KiB'
		has 'memlock: the remedy' "$(cat lock.err)" 'ulimit -l unlimited'
		has 'memlock: usable' "$(cat lock.out)" usable
		exit $failures
	) || failures=$((failures + 1))
fi

# --------------------------------------------------------------------- a peer that is killed
server='reg 1M -name buf -access local-write,remote-write,remote-read
listen 7471 -address 10.0.0.1 -accept -share buf
sleep 120s'
packets() { # of the device, by all
	if [ "$device" = rxe0 ]; then
		cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts
	else
		"$UROCE" status | awk '$1 == "packets" { n += $2 } END { print n + 0 }'
	fi
}

export UROCE_PATH=udp # there are packets to count
start srv "$server"
srv=$pid
until_in srv.err '+ sleep' $srv
start taken 'listen 7471 -address 10.0.0.1'
ended taken $pid 1
has 'port in use' "$(cat taken.err)" 'port 7471 is in use'

start busy 'connect 10.0.0.1 7471 -within 20s
binary scan [private-data] WuIu addr rkey
reg 1M -name src
catch {bench write src -len 1M -repeat 10000000 -depth 4 -remote $addr -rkey $rkey -within 20s} msg
echo lost: $msg
expect -value ERR {get [get id0 qp] state}
poll -all
post send src -len 8
expect status WR_FLUSH_ERR {poll}
destroy id0 -cascade
reg 64 -name after
echo usable'
before=$(packets)
until_in busy.err '+ catch' $pid
until [ $(($(packets) - before)) -gt 500 ] || ! kill -0 $pid 2> /dev/null; do nap 0.1; done
kill -KILL $srv
wait $srv 2> /dev/null
ended busy $pid 0
has 'killed in mid-transfer: message' "$(cat busy.out)" 'lost: bench: number '
has 'killed in mid-transfer: usable' "$(cat busy.out)" usable
unset UROCE_PATH

start srv "$server"
srv=$pid
until_in srv.err '+ sleep' $srv
start idle 'connect 10.0.0.1 7471 -within 20s
echo connected
wait event DISCONNECTED -within 20s
expect -value ERR {get [get id0 qp] state}
expect -error REJECTED {connect 10.0.0.1 7471 -within 20s}
echo usable'
until_in idle.out connected $pid
kill -KILL $srv
wait $srv 2> /dev/null
ended idle $pid 0
has 'killed while idle: usable' "$(cat idle.out)" usable

# ------------------------------------------------------------------- peers that misbehave
# Each is followed by a good one, which must be served.
start srv "$server"
srv=$pid
until_in srv.err '+ sleep' $srv
good='connect 10.0.0.1 7471 -within 20s
binary scan [private-data] WuIu addr rkey
reg 64 -name mine
post write mine -len 8 -remote $addr -rkey $rkey
expect status SUCCESS {poll}
disconnect -destroy'
half='cm create -name c
cm resolve-addr c 10.0.0.1 7471
cm resolve-route c
qp create -id c'
declare -A peers=(
	[garbage]='connect 10.0.0.1 7471 -private-data [string repeat \xff\x00\x80 18]'
	[silent]='connect 10.0.0.1 7471 -within 20s'
	[asks and leaves]="$half
cm connect c -nowait"
	[another QP]="$half
cm connect c -qpn 0xfffffe -nowait
wait event CONNECT_RESPONSE -within 1000"
	[wrong key]='connect 10.0.0.1 7471 -within 20s
reg 64
post write mr0 -len 8 -remote 0 -rkey 0xdeadbeef
expect status REM_ACCESS_ERR {poll}'
	[past the end]='connect 10.0.0.1 7471 -within 20s
binary scan [private-data] WuIu addr rkey
reg 4096
post write mr0 -remote [expr {$addr + 1048576 - 100}] -rkey $rkey
expect status REM_ACCESS_ERR {poll}'
	[no receive]='connect 10.0.0.1 7471 -within 20s -rnr-retry 1
reg 64
post send mr0
expect status RNR_RETRY_EXC_ERR {poll}'
)
for name in "${!peers[@]}"; do
	printf '%s\n' "${peers[$name]}" > peer.rdma
	"$rdmash" -k peer.rdma > peer.out 2> peer.err < /dev/null
	wants "a peer, $name: no crash" "$(grep -E 'Sanitizer|runtime error' peer.err)" ''
	[ $? != 3 ] || cat peer.err
	printf '%s\n' "$half" 'cm connect c -nowait' 'sleep 60s' > asks.rdma
	run -c "$good"
	wants "after a peer, $name" "$code" 0
done
start asks "$half"$'\ncm connect c -nowait\nsleep 60s'
until_in asks.err '+ sleep' $pid
kill -KILL $pid
wait $pid 2> /dev/null
run -c "$good"
wants 'after a peer that was killed while it connects' "$code" 0
kill -INT $srv
ended srv $srv 4

# a request whose peer has gone is passed over
mkfifo gone
start slow 'listen 7471 -address 10.0.0.1 -name l
cm event -within 60s
echo asked
reg 64
mem load mr0 gone
expect -error ETIMEDOUT {accept l -within 100}
echo usable'
slow=$pid
until_in slow.err '+ cm event' $slow
start asks "$half"$'\ncm connect c -nowait\nsleep 60s'
until_in slow.out asked $slow
kill -KILL $pid
wait $pid 2> /dev/null
echo > gone
ended slow $slow 0
has 'a request given up' "$(cat slow.err)" 'gave up before it was answered'
has 'a request given up: usable' "$(cat slow.out)" usable

# ----------------------------------------------------------- the other end of an exchange
start oob 'qp create
foreach what {http huge short json deep numbers close quiet} {
	catch {oob listen 7900 -address 127.0.0.1 -within [expr {$what eq "quiet" ? 3000 : 20000}]} msg
	echo $what: $msg
}'
say() {
	until { exec 5<> /dev/tcp/127.0.0.1/7900; } 2> /dev/null; do
		kill -0 $pid 2> /dev/null || return
		nap 0.05
	done
	printf "$2" >&5 2> /dev/null
	[ "$1" = quiet ] || exec 5>&-
	until_in oob.out "$1: " $pid
}
say http 'GET / HTTP/1.0\r\n\r\n'
say huge '\xff\xff\xff\xff'
say short '\0\0\0\x20{"qpn":1'
say json '\0\0\0\x05hello'
say deep '\0\0\0\x14[[[[[[[[[[[[[[[[[[[['
say numbers '\0\0\0\x30{"qpn":99999999999,"psn":-1,"gid":"::1","lid":1}'
say close ''
say quiet ''
ended oob $pid 0
has 'oob http' "$(cat oob.out)" 'http: oob: the peer'
has 'oob huge' "$(cat oob.out)" 'huge: oob: the peer'
# a reset or an end: whether our message had come when it closed
has 'oob short' "$(grep '^short: oob: ' oob.out)" '(ECONNRESET)'
has 'oob json' "$(cat oob.out)" "json: the peer's message is not a JSON object"
has 'oob deep' "$(cat oob.out)" "deep: the peer's message is not a JSON object"
has 'oob numbers' "$(cat oob.out)" "numbers: the peer's qpn '99999999999' is not a number"
has 'oob quiet' "$(cat oob.out)" 'quiet: the peer has said nothing in time'
finish

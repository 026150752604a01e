#!/bin/bash
# SPDX-License-Identifier: MIT
# wire-on.sh RDMASH DEVICE: wire on shows the packets, on uroce with the work request of each packet
# and the effect of a fault. capture writes the same packets. And what both refuse.
set -u
rdmash=$1 device=$2
here=$(cd "$(dirname "$0")" && pwd)
failures=0
if [ "$device" != inside ]; then
	exec bash "$here/../on.sh" "$device" bash "$0" "$rdmash" inside
fi
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
cp "$here/wire-on.rdma" .

# shows REGEXP: in a line of the wire
shows() {
	grep -Eq "^\* wire +[0-9:.]+ (->|<-) $1" out ||
		{ echo "not ok: no line of the wire like '$1'"; failures=$((failures + 1)); }
}

refused() {	# COMMAND WORDS
	"$rdmash" -X -c "$1" > refused 2>&1 && { echo "not ok: $1"; failures=$((failures + 1)); }
	grep -q "$2" refused || { echo "not ok: $1: $(cat refused)"; failures=$((failures + 1)); }
}

"$rdmash" -X -f wire-on.rdma > out 2>&1 || { echo "not ok: exit status $?"; failures=1; }
ends='[0-9.]+ > [0-9.]+  '
shows "${ends}CM REQ  id 0x[0-9a-f]{8}  port 7471  qpn .* retry 7"
shows "${ends}CM REP "
shows "${ends}CM RTU "
shows "${ends}CM DREQ "
shows "${ends}RC_WRITE_ONLY .* ack please  va 0x[0-9a-f]+  rkey 0x[0-9a-f]+  len 13  13 B"
shows "${ends}RC_READ_REQUEST .* len 8192"
shows "${ends}RC_READ_RESP_LAST "
shows "${ends}RC_FETCH_ADD .* add 5"
shows "${ends}RC_ATOMIC_ACK .* original 0"
shows "${ends}RC_ACK .* NAK: remote access error"
if [ -n "${RDMASH_DEVICE-}" ]; then
	for n in 257 258 259 260; do
		grep -Eq "RC_(READ_REQUEST|WRITE_ONLY|FETCH_ADD) .*\[wr_id $n of qp0\]" out ||
			{ echo "not ok: the request of wr_id $n"; failures=$((failures + 1)); }
		grep -Eq "RC_(ACK|ATOMIC_ACK|READ_RESP_LAST) .*\[wr_id $n of qp0\]" out ||
			{ echo "not ok: the response of wr_id $n"; failures=$((failures + 1)); }
	done
	shows "${ends}RC_ACK .*  ACK  msn 1  \[wr_id 257 of qp0\]  fault: drop"
	# sent twice, since its ACK was lost; what is received here, too, is not shown again
	[ "$(grep -c 'RC_WRITE_ONLY.*\[wr_id 257 of qp0\]' out)" = 2 ] ||
		{ echo "not ok: the write is not there twice"; failures=$((failures + 1)); }
	[ "$(grep -c 'RC_READ_RESP_.*\[wr_id 258 of qp0\]' out)" = 2 ] ||
		{ echo "not ok: the responses of the READ"; failures=$((failures + 1)); }
	shows "${ends}RC_ATOMIC_ACK .*\[wr_id 259 of qp0\]"
	shows "${ends}RC_ACK .* NAK: remote access error.*\[wr_id 260 of qp0\]"
	! grep -q 'that is gone' out || { echo "not ok: wrong QPs"; failures=$((failures + 1)); }
fi
refused 'capture stop' 'nothing is being written'
refused 'capture start /no/such/dir/x' 'No such file'
refused 'capture start a; capture start b' 'a is being written'
refused 'capture start .' 'directory'
echo 'capture start ../out.pcapng' > away.rdma
"$rdmash" -X -f away.rdma > refused 2>&1 && { echo "not ok: out of its directory"; failures=1; }
# on and off, and left on at the end
"$rdmash" -X -c 'wire off; wire on; wire on; capture start left.pcapng' > refused 2>&1 ||
	{ echo "not ok: $(cat refused)"; failures=1; }
if [ "$failures" = 0 ]; then echo ok; else cat out; fi
exit $((failures > 0))

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# aside.sh UROCE: packets go through memory between processes of one user and host, and by UDP as
# long as somebody looks at the loopback, who then sees all of them.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2317
. "$(dirname "$0")/lib.sh" "$@"
need rping tcpdump tshark tc
export UROCE_DIRECT=0 # packets only

# traffic VARIABLE=VALUE...: a connection that goes on until it is ended
traffic() {
	env "$@" "$uroce" rping -s -a 127.0.0.1 -P >/dev/null 2>&1 &
	server=$!
	started+=("$server")
	until_listening 7174
	env "$@" "$uroce" rping -c -a 127.0.0.1 >/dev/null 2>&1 &
	client=$!
	started+=("$client")
}
ended() {
	kill "$client" "$server"
	wait "$client" "$server" 2>/dev/null
}
# goes WAY: both ends say so
goes() { [ "$("$uroce" status | grep -c "qp .*RTS.* by $1")" = 2 ]; }
way() { within 10 goes "$1"; }

traffic A=B
ok 'through memory' way memory

# all packets from 100 ms on, by what each end says that it sent
capture=$tmp/lo.pcap
tcpdump -i lo --immediate-mode -U -B 32768 -w "$capture" udp port 4791 2>"$tmp/tcpdump" &
looker=$!
started+=("$looker")
within 10 grep -q listening "$tmp/tcpdump"
sleep 0.1
sent() { "$uroce" status | awk '$1 == "packets" { n += $2 } END { print n }'; }
first=$(sent)
ok 'tcpdump: by UDP' goes UDP
sleep 0.3
last=$(sent)
sleep 1 # it writes
kill "$looker"
wait "$looker"
seen=$(tshark -r "$capture" 2>/dev/null | wc -l)
sees_all() {
	echo "sent between the two looks: $((last - first)), captured: $seen"
	grep -q '^0 packets dropped' "$tmp/tcpdump" && [ $((last - first)) -gt 20 ] &&
		[ "$seen" -ge $((last - first)) ]
}
ok 'tcpdump in the middle of a transfer sees all packets from 100 ms on' sees_all
ok 'one datagram each' [ "$(tshark -r "$capture" -Y 'udp.length > 4200' 2>/dev/null | wc -l)" = 0 ]
ok 'tcpdump has gone: through memory' way memory

# a packet socket that is not about this: of another protocol, as ARP
python3 -c 'import socket, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
time.sleep(1)' &
sleep 0.4
ok 'a packet socket for ARP: through memory' goes memory
wait $!

# as netem is one, which not all kernels have
tc qdisc add dev lo root pfifo
ok 'a queueing discipline: by UDP' way UDP
tc qdisc del dev lo root
ok 'none: through memory' way memory
ended

traffic UROCE_PATH=udp
ok 'UROCE_PATH=udp' way UDP
ended
tcpdump -i lo -w /dev/null 2>/dev/null &
started+=("$!")
traffic UROCE_PATH=memory
ok 'UROCE_PATH=memory, and somebody looks' way memory
ended
ok 'UROCE_PATH=tcp is refused' bash -c "'$uroce' env UROCE_PATH=tcp ibv_devinfo 2>&1 |
	grep 'UROCE_PATH=tcp is neither udp nor memory'"

# what the program itself sees of both ways is the same
for path in udp memory; do
	export UROCE_PATH=$path UROCE_PCAP=$tmp/$path.pcap
	both "UROCE_PCAP by $path" 'until_listening 7174' \
		"UROCE_PCAP= '$uroce' rping -s -a 127.0.0.1 -C 20" "'$uroce' rping -c -a 127.0.0.1 -C 20"
	tshark -o ip.check_checksum:TRUE -r "$tmp/$path.pcap" -T fields -e ip.proto -e udp.dstport \
		-e infiniband.bth.opcode -e _ws.malformed 2>/dev/null | sort | uniq -c >"$tmp/$path"
done
unset UROCE_PATH UROCE_PCAP
ok 'the same packets in both captures' diff "$tmp/udp" "$tmp/memory"
finish

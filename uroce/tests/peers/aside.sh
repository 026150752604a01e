#!/bin/bash
# SPDX-License-Identifier: MIT
#
# aside.sh UROCE: packets go through memory between processes of one user and host, and by UDP as
# long as somebody looks at the loopback, who then sees all of them.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2317
. "$(dirname "$0")/lib.sh" "$@"
need rping tcpdump tshark
unset UROCE_PATH # which way they go is what this is about

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

# All packets from 100 ms on, by what each end says that it sent, and by PSNs, which have no gap.
# Of each packet the headers: in immediate mode the kernel keeps room for the longest.
capture=$tmp/lo.pcap
tcpdump -i lo -s 128 --immediate-mode -U -B 32768 -w "$capture" udp port 4791 2>"$tmp/tcpdump" &
looker=$!
started+=("$looker")
within 10 grep -q listening "$tmp/tcpdump"
sleep 0.1
sent() { "$uroce" status | awk '$1 == "packets" { n += $2 } END { print n }'; }
more_sent() { [ $(($(sent) - first)) -gt 20 ]; }
captured() { tshark -r "$capture" 2>/dev/null | wc -l; }
all_captured() { [ "$(captured)" -ge $((last - first)) ]; }
first=$(sent)
ok 'tcpdump: by UDP' way UDP
within 10 more_sent
last=$(sent)
within 10 all_captured
kill "$looker"
wait "$looker"
seen=$(captured)
sees_all() {
	echo "sent between the two looks: $((last - first)), captured: $seen"
	grep -q '^0 packets dropped' "$tmp/tcpdump" && [ $((last - first)) -gt 20 ] &&
		[ "$seen" -ge $((last - first)) ]
}
ok 'tcpdump in the middle of a transfer sees all packets from 100 ms on' sees_all
# Before that a request may have gone through memory, and the one before it once more by UDP.
no_gap() {
	tshark -r "$capture" -T fields -e infiniband.bth.destqp -e infiniband.bth.psn \
		-Y 'infiniband.bth.opcode < 13 and frame.time_relative > 0.1' 2>/dev/null |
		awk '!($1 in first) { first[$1] = $2 }
		{ n = ($2 - first[$1] + 2 ^ 24) % 2 ^ 24 }
		n < 2 ^ 23 && !seen[$1, n]++ { requests[$1]++; if (n > last[$1]) last[$1] = n }
		END {
			for (qp in first) {
				ends++
				bad += requests[qp] != last[qp] + 1
				print qp, "requests captured:", requests[qp], "of", last[qp] + 1
			}
			exit ends != 2 || bad
		}'
}
ok 'no gap between two of them' no_gap
ok 'one datagram each' [ "$(tshark -r "$capture" -Y 'udp.length > 4200' 2>/dev/null | wc -l)" = 0 ]
ok 'tcpdump has gone: through memory' way memory

# a packet socket that is not about this: of another protocol, as ARP
python3 -c 'import socket, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
time.sleep(1)' &
sleep 0.4
ok 'a packet socket for ARP: through memory' goes memory
wait $!

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

# The programs themselves see both ways. How many packets that takes is up to time: an ACK
# may stand for several requests, and what is late goes out again. So the captures of the two ends
# must have the same distinct packets, and those of the two ways the same distinct requests and
# answers with data. No DREP: the client may have ended before it comes; no MRA: a host sends it that
# is slow.
packets() { # CAPTURE
	tshark -o ip.check_checksum:TRUE -r "$1" -Y '!(infiniband.mad.attributeid == 0x11 || infiniband.mad.attributeid == 0x16)' \
		-T fields -E separator=/s -e infiniband.bth.destqp -e infiniband.bth.opcode \
		-e infiniband.bth.psn -e infiniband.mad.attributeid -e ip.proto -e udp.dstport \
		-e _ws.malformed 2>/dev/null
}
# With PSNs from the first request of each direction on; answers with data have those of the other.
by_order() {
	awk '$2 == 100 { print "CM", $4, $5, $6, $7; next }
	$2 == 17 { next }
	$2 < 13 && !($1 in first) { first[$1] = $3; to[++ends] = $1 }
	{
		way = $1 == to[1] ? 1 : 2
		base = first[to[$2 < 13 ? way : 3 - way]]
		print way, $2, ($3 - base + 2 ^ 24) % 2 ^ 24, $4, $5, $6
	}'
}
for path in udp memory; do
	export UROCE_PATH=$path
	both "UROCE_PCAP by $path" 'until_listening 7174' \
		"UROCE_PCAP='$tmp/server.$path' rping_counted '$uroce' 20 -s -a 127.0.0.1 -C 20" \
		"UROCE_PCAP='$tmp/client.$path' rping_counted '$uroce' 20 -c -a 127.0.0.1 -C 20"
	for end in server client; do packets "$tmp/$end.$path" >"$tmp/$end.packets.$path"; done
	ok "both ends have seen the same packets by $path" \
		diff <(grep -v ' 100 ' "$tmp/server.packets.$path" | sort -u) \
		<(grep -v ' 100 ' "$tmp/client.packets.$path" | sort -u)
	by_order <"$tmp/client.packets.$path" | sort -u >"$tmp/$path"
done
unset UROCE_PATH UROCE_PCAP
ok '20 rounds: four of the CM, 80 SENDs, 20 WRITEs, 20 READs and 20 answers to those' \
	[ "$(wc -l <"$tmp/udp")" = 144 ]
ok 'the same by both ways' diff "$tmp/udp" "$tmp/memory"
finish

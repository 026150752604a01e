#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The two ports of one machine: rping from one to the other, over IPv4 and
# IPv6, and its packets do cross the wire.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
can_run run
command -v rping > /dev/null || skip 'missing: rdmacm-utils (rping); apt-get install rdmacm-utils'

cat > "$tmp/try" <<'T'
for address in 10.0.0.2 fd00::2; do
	rping -s -a $address -C 5 & server=$!
	lab-wait 7174
	rping -c -a $address -C 5; echo "client $address: $?"
	wait $server; echo "server $address: $?"
done
for port in rxe0 rxe1; do
	echo "$port $(rdma statistic show link $port/1 | grep -o 'sent_pkts [0-9]*')"
done
T
for link in veth hub; do
	"$lab" run -l $link bash "$tmp/try" > "$tmp/out" 2>&1
	equal "$link: status" $? 0
	for address in 10.0.0.2 fd00::2; do
		has "$link: client to $address" "$tmp/out" "^client $address: 0"
		has "$link: server at $address" "$tmp/out" "^server $address: 0"
	done
	has "$link: rxe0 has sent" "$tmp/out" '^rxe0 sent_pkts [1-9]'
	has "$link: rxe1 has sent" "$tmp/out" '^rxe1 sent_pkts [1-9]'
done

"$lab" run -p "$tmp/wire.pcap" 'rping -s -a 10.0.0.2 -C 5 & lab-wait 7174; rping -c -a 10.0.0.2 -C 5' > /dev/null
equal 'with a capture' $? 0
# UDP port 4791 in the frames: 12b7
ok 'RoCEv2 is on the wire' env LC_ALL=C grep -qaP '\x12\xb7' "$tmp/wire.pcap"

"$lab" run -s 'tc qdisc add dev eth0 root netem loss 100%' \
	'busybox ping -c 1 -W 1 10.0.0.2 > /dev/null; echo $?; tc -s qdisc show dev eth0' > "$tmp/out" 2>&1
has 'netem by -s: the ping is lost' "$tmp/out" '^1$'
has 'netem has dropped it' "$tmp/out" 'dropped [1-9]'

"$lab" run -l dummy 'rping -s -a 10.0.0.1 -C 5 & lab-wait 7174; rping -c -a 10.0.0.1 -C 5' > /dev/null
equal 'dummy' $? 0
finish

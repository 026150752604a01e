#!/bin/sh
# SPDX-License-Identifier: MIT
# In a capture written by the tap (PROGRAM, tap_test) tshark sees what it sees in the
# captures on the wire, in the directory DATA, that it was made from.
set -eu
program=$1 data=$2
command -v tshark >/dev/null || { echo "no tshark: skipped"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
check='-o ip.check_checksum:TRUE -o udp.check_checksum:TRUE'

# the fields of all packets to port 4791
fields() {
	# shellcheck disable=SC2086
	tshark $check -r "$1" -Y 'udp.dstport == 4791 && infiniband' -T fields \
		-e ip.src -e ip.dst -e ip.id -e ip.ttl -e ip.dsfield -e ip.len \
		-e ipv6.src -e ipv6.dst -e ipv6.hlim -e ipv6.plen -e udp.srcport -e udp.length \
		-e infiniband.bth.opcode -e infiniband.bth.psn -e infiniband.bth.destqp \
		-e infiniband.invariant.crc -e infiniband.payload 2>/dev/null
}

for file in rxe-gold.pcap lab-v6.pcap uroce-rxe.pcap; do
	"$program" "$data" "$dir/out.pcapng" "$file" >/dev/null
	fields "$data/$file" >"$dir/wire"
	fields "$dir/out.pcapng" >"$dir/tap"
	[ -s "$dir/wire" ]
	cmp "$dir/wire" "$dir/tap" || {
		diff "$dir/wire" "$dir/tap" | head
		exit 1
	}
	# shellcheck disable=SC2086
	tshark $check -r "$dir/out.pcapng" -T fields -e _ws.malformed -e _ws.expert.message \
		-e ip.checksum.status -e udp.checksum.status 2>/dev/null >"$dir/bad"
	# IPv4: header right (1), UDP sum absent (3); IPv6: sum right (1). A comment is a message.
	if sed 's/^	\(drop\|corrupt\)	/		/' "$dir/bad" | grep -Evx '		1	3|			1'; then
		echo "$file: expert messages or wrong checksums"
		exit 1
	fi
	echo "$file: $(wc -l <"$dir/tap") packets"
done

# directions, and what a fault did
tshark -r "$dir/out.pcapng" -c 5 -T fields -e frame.packet_flags_direction -e frame.comment \
	2>/dev/null | sed 's/0x0*//' >"$dir/marks"
printf '2\t\n1\tdrop\n2\t\n1\t\n2\tcorrupt\n' >"$dir/want"
diff "$dir/want" "$dir/marks"

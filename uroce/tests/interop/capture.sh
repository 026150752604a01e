#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Packets between the device and the kernel's rxe, captured on the wire, also with
# UROCE_GSO=1: tshark finds nothing malformed in it, and every ICRC is right.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2016
if [ -z "${UROCE_INTEROP-}" ]; then
	command -v tshark >/dev/null || { echo "no tshark: skipped"; exit 77; }
	dir=$(mktemp -d /tmp/uroce-interop.XXXXXX) || exit 1
	(
		bridge=(-p "$dir/wire.pcap")
		. "$(dirname "$0")/lib.sh" "$@"
	) || { status=$?; rm -rf "$dir"; exit $status; }
	tshark -o ip.check_checksum:TRUE -r "$dir/wire.pcap" -Y 'udp.port == 4791' -T fields \
		-e ipv6.src -e infiniband.bth.opcode -e _ws.malformed -e _ws.expert.message 2>/dev/null >"$dir/seen"
	echo "$(wc -l <"$dir/seen") packets, opcodes $(cut -f 2 "$dir/seen" | sort -nu | tr '\n' ' ')"
	# over IPv6 rxe sends UDP without a checksum
	bad=$(awk -F '\t' '$1 == "fd00::1" { sub("Illegal checksum value \\(0\\)", "", $4) }
		$2 == "" || $3 != "" || $4 != ""' "$dir/seen")
	segments=$(tshark -r "$dir/wire.pcap" -Y 'udp.dstport == 4791 && ip.src == 10.0.0.2 && ip.id > 0' \
		2>/dev/null | wc -l)
	echo "$segments of ours were segmented by the kernel"
	[ "$segments" -gt 0 ] || bad+='none was'
	"$3" "$dir" wire.pcap
	status=$?
	rm -rf "$dir"
	[ -z "$bad" ] || { head <<<"$bad"; echo "not ok: tshark complains"; exit 1; }
	exit $status
fi
. "$(dirname "$0")/lib.sh" "$@"
both 'rping' 7174 '$on rping -s -a $me -C 5 -V -S 3001' '$on rping -c -a $peer -C 5 -V -S 3001'
both 'rping, IPv6' 7174 '$on rping -s -a $me6 -C 5 -V' '$on rping -c -a $peer6 -C 5 -V'
export UROCE_GSO=1
both 'rping of 64 KiB, GSO' 7174 '$on rping -s -a $me -C 3 -V -S 65000' \
	'$on rping -c -a $peer -C 3 -V -S 65000'
finish

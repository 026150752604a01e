#!/bin/bash
# SPDX-License-Identifier: MIT
#
# perftest, unmodified: every operation, latency and bandwidth, connected by its own TCP
# exchange and by the connection manager, RC, UC and UD.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
need ib_write_lat ib_atomic_bw

port=18700
for what in write read send atomic; do
	for how in lat bw; do
		for manager in '' -R; do
			[ "$how$manager" != bw-R ] || [ $what = send ] || continue
			program=ib_${what}_$how
			ready=until_port late=
			if [ -n "$manager" ]; then
				ready=until_listening
				# it connects twice, and not again when the server is not yet there
				late=delay=400ms,dir=out,op=UD_SEND_ONLY,qpn=1
			fi
			types=RC
			[ $what != send ] || types='RC UC UD'
			[ $what != write ] || types='RC UC'
			for type in $types; do
				[ "$type$manager" != UC-R ] || continue # rdma_cm makes no UC
				port=$((port + 1))
				options="-p $port -c $type -n 200 -F"
				[ "$type" != UD ] || options+=' -s 64'
				[ "$type" != UC ] || options+=' -s 1024' # what is lost stays lost
				both "$program $type $manager" "$ready $port" \
					"'$uroce' $program $options $manager" \
					"UROCE_FAULT=$late '$uroce' $program $options $manager 127.0.0.1"
			done
		done
	done
done

# it reads the counters in sysfs before and after. One
# that is sent again counts again: with -u 20 no acknowledgement is late before 4 s
counters() {
	"$uroce" ib_write_bw -p 18699 -n 200 -F -u 20 -W hw_counters/sent_pkts &
	local server=$! packets
	until_port 18699
	packets=$("$uroce" ib_write_bw -p 18699 -n 200 -s 4096 -F -u 20 \
		-W hw_counters/sent_pkts,hw_counters/rcvd_pkts 127.0.0.1 |
		sed -n 's/.*hw_counters.sent_pkts=//p')
	wait "$server" && [ "$packets" = 200 ]
}
each 'ib_write_bw reports counters' counters
finish

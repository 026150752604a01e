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
			ready=until_port
			[ -z "$manager" ] || ready=until_listening
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
					"'$uroce' $program $options $manager 127.0.0.1"
			done
		done
	done
done
finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# rping.sh RDMASH: the rping examples against rdma-core's own program, and each other.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/../../rxe-lab
examples=$here/../../examples
failures=0

"$lab" check pair || exit
command -v rping > /dev/null || { echo 'skipped: rping is missing (rdmacm-utils)'; exit 77; }

# pair WHAT SERVER CLIENT WANTED...: the commands on two machines; WANTED are in the output
pair() {
	local what=$1 server=$2 client=$3 out want
	shift 3
	# both end by themselves: what the server says last must not be cut off on a busy host
	out=$("$lab" pair -g 60 "$server" "$client" 2>&1) || {
		printf '%s\n' "$out"
		echo "not ok: $what"
		failures=1
		return
	}
	for want; do
		grep -qF -- "$want" <<< "$out" || {
			printf '%s\n' "$out"
			echo "not ok: $what: no '$want'"
			failures=1
			return
		}
	done
	echo "ok: $what"
}

# texts for bash
printf -v client '%q -f %q 10.0.0.1 3' "$rdmash" "$examples/rping-client.rdma"
printf -v server '%q -f %q 10.0.0.1' "$rdmash" "$examples/rping-server.rdma"
pair "our client, rping's server" 'rping -s -a 10.0.0.1 -C 3 -v' "$client" \
	'server ping data: rdma-ping-2: CDEFGH' '3 checks passed, 0 failed'
pair "rping's client, our server" "$server" 'rping -c -a 10.0.0.1 -C 3 -v -V' \
	'ping data: rdma-ping-2: CDEFGH' '3 pings answered'
pair 'our client, our server' "$server" "$client" '3 checks passed, 0 failed' \
	'3 pings answered'
exit $failures

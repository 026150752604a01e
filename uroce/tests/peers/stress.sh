#!/bin/bash
# SPDX-License-Identifier: MIT
#
# stress.sh PROGRAM-UROCE STRESS: operations of all kinds on a wire that loses, doubles,
# reorders and spoils packets in both directions: all are right. With 20 % loss and few
# retries, an operation is right or its QP ends in RETRY_EXC_ERR.
#
# The long run (minutes) is:
#   UROCE_FAULT='dir=out,drop=5%,dup=2%,reorder=5%,corrupt=1%' uroce stress -n 1000000 -q 16
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
stress=$2

# lossy WHAT FAULTS OPTION...: what the counters say of the faults must be there
lossy() {
	local what=$1 faults=$2
	shift 2
	UROCE_FAULT=$faults ok "$what" timeout 150 "$uroce" "$stress" -v "$@"
	grep -q "client: counters:.* fault_drop [1-9]" "$tmp/out" || not_ok "$what: no faults"
	grep -v 'counters:' "$tmp/out" | tail -n 4
}

# a timeout of 67 ms: this may be a busy machine, with a sanitizer
lossy 'mixed operations, losses repaired' 'dir=out,drop=5%,dup=2%,reorder=5%,corrupt=1%' \
	-q 8 -t 14 -n 12000
lossy 'right, or RETRY_EXC_ERR' 'dir=out,drop=20%' -q 8 -t 10 -r 3 -f -n 40000
finish

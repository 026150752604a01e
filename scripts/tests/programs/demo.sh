#!/bin/bash
# SPDX-License-Identifier: MIT
# demo.sh RDMASH: the demonstration shows a write that arrives, an error and its cause. It does not
# depend on a port that may be taken. Without any network it says that there is none.
set -u
rdmash=$1
demo=$(cd "$(dirname "$0")/../.." && pwd)/demo.rdma
failed=0
# shows TEXT WHAT: somewhere in what was printed
shows() {
	grep -qF -- "$1" <<<"$out" && echo "ok: $2" && return
	printf 'not ok: %s: no "%s" in\n%s\n' "$2" "$1" "$out"
	failed=1
}

out=$("$rdmash" -c 'listen 7471' -f "$demo" -- 1 2>&1) || { printf '%s\n' "$out"; exit 1; }
shows 'hello, memory...' 'the bytes are there'
shows 'RDMA_READ  qp0  13 B' 'they are read back'
shows 'REM_ACCESS_ERR' 'it breaks'
shows 'end 1 byte beyond it: it has 4096 bytes' 'the cause is found'
shows 'NAK: remote access' 'the time line has the packets'
shows 'lesson 1' 'it says how to go on'

out=$("$(dirname "$demo")/demo" --help 2>&1)
shows 'demo [PAUSE]' 'its help'

out=$(unshare -n "$rdmash" "$demo" 1 2>&1) && { echo 'not ok: it goes on without a network'; failed=1; }
shows 'no network interface is up' 'no network'
exit $failed

#!/bin/bash
# SPDX-License-Identifier: MIT
# language.sh RDMASH PAGE: the first example of docs/language.md prints what the page says.
set -u
rdmash=$1 page=$2 here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
{
	cat <<-'END'
		reg 4096 -name window
		reg 4096 -name buf
		listen 7471 -share window -accept
		connect [dict get [device] address] 7471
	END
	awk -v heading='# The language' -f "$here/block.awk" "$page"
} > page.rdma
"$rdmash" -X -f page.rdma > out 2>&1 || { echo "not ok: exit status $?"; cat out; exit 1; }
failures=0
for what in 'WC wr_id 3  SUCCESS  RDMA_WRITE' '^REM_ACCESS_ERR: ' '^  cause .*0x1234' '^   now      ERR '; do
	grep -q -- "$what" out || { echo "not ok: it does not print '$what'"; failures=1; }
done
[ "$failures" = 0 ] && echo ok || cat out
exit "$failures"

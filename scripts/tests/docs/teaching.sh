#!/bin/bash
# SPDX-License-Identifier: MIT
# teaching.sh RDMASH PAGE: the lesson of docs/teaching.md is one, is taken by its own lines, and
# becomes a handout; its rules give a solution all points; the cheat sheet has its three tables; the files
# that the page names exist.
set -u
rdmash=$1 page=$2 here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$(dirname "$2")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() {
	echo "not ok: $*"
	exit 1
}
awk -v heading='## To write a lesson' -f "$here/block.awk" "$page" >mine.rdma
awk -v heading='## To grade' -f "$here/block.awk" "$page" >rules.rdma
grep -q '^task' mine.rdma && grep -q '^expect' rules.rdma || fail 'the blocks of the page are other ones'
"$rdmash" -n mine.rdma || fail 'the lesson has mistakes'
"$rdmash" -q -c 'lesson play ./mine.rdma' >out 2>&1 || fail "the lesson is not taken: $(cat out)"
"$rdmash" -c 'lesson -print ./mine.rdma' 2>/dev/null | grep -q '^\*\*1\.\*\* Bring a queue pair' || fail 'no handout'
echo 'ok: the lesson'
"$rdmash" --grade rules.rdma "$top/scripts/assignments/states.solution.rdma" >out 2>&1 || fail "the rules: $(cat out)"
grep -qx '# 9 of 9 points' out || fail "the rules: $(cat out)"
echo 'ok: the rules'
"$rdmash" -q "$top/scripts/cheat-sheet.rdma" >sheet 2>/dev/null || fail 'no cheat sheet'
for row in '| `SQD` | .* | yes, they wait |' '| RC | RTR → RTS | `TIMEOUT` `RETRY_CNT` .*|' '| `RNR_RETRY_EXC_ERR` | .* |'; do
	grep -q "^$row" sheet || fail "the cheat sheet has no '$row'"
done
[ "$(wc -l <sheet)" -lt 60 ] || fail 'the cheat sheet is longer than a page'
echo 'ok: the cheat sheet'
"$rdmash" -q -c 'qp-state -svg rc.svg -type RC' >/dev/null 2>&1 && [ -s rc.svg ] || fail 'no figure'
grep -oE '\.\./[a-zA-Z0-9/._-]+' "$page" | while read -r path; do
	[ -e "$(dirname "$page")/$path" ] || fail "there is no $path"
done || exit 1
echo 'ok: the figure and the files'

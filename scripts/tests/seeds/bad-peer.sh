#!/bin/bash
# SPDX-License-Identifier: MIT
# bad-peer.sh RDMASH [WORD]: each script of scripts/seeds against the peers of
# bad-peer.list (those with WORD in their line) that break its contract: it must end in
# time, with an error, and say what is wrong. On the embedded device, each in a network of its
# own.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
export UROCE=${UROCE-$(dirname "$rdmash")/bin/uroce}
list=$here/bad-peer.list

if [ "${2-}" != --try ]; then
	tmp=$(mktemp -d /tmp/seeds-bad-peer.XXXXXX) || exit 1
	trap 'rm -rf "$tmp"' EXIT
	grep -nv '^#' "$list" | grep -F -- "${2-}" | cut -d: -f1 >"$tmp/tries"
	xargs -P 8 -I {} bash "$here/../on.sh" uroce bash "$0" "$rdmash" --try "$tmp" {} \
		<"$tmp/tries" >"$tmp/said"
	status=$?
	cat "$tmp/said"
	[ "$(grep -c '^ok: ' "$tmp/said")" = "$(grep -c . "$tmp/tries")" ] || status=1
	grep -q '^skipped' "$tmp/said" && status=77
	exit "$status"
fi

exec 2>/dev/null # where bash tells of jobs that were killed
tmp=$3 n=$4
IFS='|' read -r what script words peer wanted < <(sed -n "${n}p" "$list")
# long, so that a busy machine does not end a wait that the peer should
within=100
case $wanted in 'in time: '*) within=15 wanted=${wanted#in time: } ;; esac
out=$tmp/out.$n bad=$tmp/peer.$n
ours() {
	local list
	read -ra list <<<"$words"
	timeout -k 1 120 "$rdmash" -c "set within ${within}s" -f "$here/../../seeds/$script.rdma" -- \
		"${list[@]}" >"$out" 2>&1 </dev/null
}
theirs() {
	"$rdmash" -k -c "$peer" >"$bad" 2>&1 </dev/null &
	other=$!
}
until_listening() {
	until "$UROCE" status | grep -q listens || grep -qs ' 0A ' /proc/net/tcp /proc/net/tcp6; do
		kill -0 "$1" || break
		sleep 0.02
	done
}
case $script in
*-client)
	theirs
	until_listening "$other"
	ours
	status=$?
	;;
*)
	ours &
	server=$!
	until_listening "$server"
	theirs
	wait "$server"
	status=$?
	;;
esac
kill "$other"
wait "$other"
if [ "$status" != 1 ] && [ "$status" != 3 ]; then
	why="exit status $status"
elif grep -qE 'Sanitizer|runtime error' "$out" "$bad"; then
	why="a sanitizer has spoken"
elif ! grep -qF -- "${wanted//|/$'\n'}" "$out"; then
	why="nothing of '$wanted'"
else
	echo "ok: $script, $what: $(grep -m 1 -F -- "${wanted//|/$'\n'}" "$out" | sed 's/^.*seeds\///')"
	exit
fi
echo "not ok: $script, $what: $why"
sed 's/^/    /' "$out"
sed 's/^/    peer: /' "$bad"
exit 1

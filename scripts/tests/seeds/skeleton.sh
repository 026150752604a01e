#!/bin/bash
# SPDX-License-Identifier: MIT
# skeleton.sh RDMASH: lab-rc-skeleton.rdma writes into the memory of an end that gets its data by
# hand: this test types there what the script prints. On the embedded device.
set -u
rdmash=$1
here=$(cd "$(dirname "$0")" && pwd)
skeleton=$here/../../seeds/lab-rc-skeleton.rdma
[ "${2-}" = inside ] || exec bash "$here/../on.sh" uroce bash "$0" "$rdmash" inside

tmp=$(mktemp -d /tmp/seeds-skeleton.XXXXXX) || exit 1
trap 'rm -rf "$tmp"' EXIT
fail() {
	echo "not ok: $*"
	sed 's/^/    /' "$tmp"/*.out
	exit 1
}
# said FILE WORD: what stands behind it there, as soon as it does
said() {
	local end=$((SECONDS + 20)) word
	until word=$(sed -n "s/^ *$2: //p" "$1" | grep -m 1 .); do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.02
	done
	echo "$word"
}

"$rdmash" "$skeleton" uroce0 1 >"$tmp/alone.out" 2>&1 || fail "without a peer: status $?"
grep -q '^Peer details missing' "$tmp/alone.out" || fail "without a peer"
"$rdmash" "$skeleton" uroce0 1 --peer-qpm 1 >"$tmp/wrong.out" 2>&1 && fail "a wrong option"
grep -q 'usage: lab-rc-skeleton' "$tmp/wrong.out" || fail "a wrong option"

# the other end: what it is told, it takes over TCP
cat >"$tmp/peer.rdma" <<'P'
reg 4096 -name buf
qp create -name rc
modify-qp INIT rc -port 1 -pkey-index 0 -access remote-write
tcp listen 7300 -name door
dict for {name value} [qp-info rc -mr buf -gid-index 0] { echo "$name: $value" }
tcp accept door -name hand -within 30s
lassign [tcp recv hand 1000 -any -within 30s] qpn psn gid
modify-qp RTR rc -mtu 1024 -dest-qpn $qpn -rq-psn $psn -dgid $gid -sgid-index 0 \
	-max-dest-rd-atomic 1 -min-rnr-timer 12
expect -name "the last byte has come" -value Z {
	mem watch buf 4095 1 -was [binary format x] -within 30s
	mem get buf 4095 1
}
P
"$rdmash" -q "$tmp/peer.rdma" >"$tmp/peer.out" 2>&1 &
peer=$!
mine=()
for what in qpn psn gid rkey addr; do
	mine+=("--peer-$what" "$(said "$tmp/peer.out" $what)") || fail "the peer says no $what"
done
"$rdmash" "$skeleton" uroce0 1 "${mine[@]}" --wait 2s >"$tmp/skeleton.out" 2>&1 &
script=$!
for what in qpn psn gid; do
	printf -v "$what" %s "$(said "$tmp/skeleton.out" $what)" || fail "it says no $what"
done
# shellcheck disable=SC2154 # printf sets them
echo "$qpn $psn $gid" >/dev/tcp/127.0.0.1/7300 || fail "nobody to tell"
wait $script || fail "the script's status is $?"
wait $peer || fail "the other end's status is $?"
echo "ok: $(tail -n 1 "$tmp/skeleton.out")"

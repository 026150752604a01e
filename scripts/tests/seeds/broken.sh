#!/bin/bash
# SPDX-License-Identifier: MIT
# broken.sh RDMASH [STEM...]: the other end of a pair of scripts/seeds breaks off after
# each of its steps, in three ways: it is killed, it disconnects properly, or it falls
# silent. Each time the script must end in time and with an error whose message says why; nothing
# may leak. On the embedded device, each try in a network of its own.
set -u
rdmash=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
export UROCE=${UROCE-$(dirname "$rdmash")/bin/uroce}
within=12                 # seconds that a wait of the script may take: a request is repeated after 4
most=$((within * 3 + 60)) # and all of it, with a sanitizer on a busy machine

if [ "${1-}" != --try ]; then
	tmp=$(mktemp -d /tmp/seeds-broken.XXXXXX) || exit 1
	trap 'rm -rf "$tmp"' EXIT
	cp -r "$here/../../seeds" "$tmp"
	[ $# -gt 0 ] || set -- rdma-example lab-imm
	for stem; do
		for end in server client; do
			n=$("$rdmash" -q --allow-dir "$tmp" -f "$here/split.rdma" -- \
				"$tmp/seeds/$stem-$end.rdma" "$tmp/seeds/$stem-$end") || exit
			for ((i = 1; i <= n; i++)); do
				for how in killed gone silent; do
					echo "$stem" "$end" "$i" "$how" "$tmp"
				done
			done
		done
	done >"$tmp/tries"
	xargs -P 10 -L 1 bash "$here/../on.sh" uroce bash "$0" "$rdmash" --try <"$tmp/tries" >"$tmp/said"
	status=$?
	cat "$tmp/said"
	[ "$(grep -c '^ok: ' "$tmp/said")" = "$(grep -c . "$tmp/tries")" ] || status=1
	grep -q skipped "$tmp/said" && status=77
	exit "$status"
fi

# one try: END of STEM stops after N steps, and is then HOW
shift
exec 2>/dev/null # where bash tells of jobs that were killed
stem=$1 end=$2 n=$3 how=$4 tmp=$5
out=$tmp/$stem-$end-$n-$how
broken=$tmp/seeds/$stem-$end.$n.rdma
client_words=(127.0.0.1 "$(grep -o '{port [0-9]*}' "$tmp/seeds/$stem-server.rdma" | tr -dc 0-9)")
[ "$stem" = rdma-example ] && client_words=(-s hello)

# run OUT SCRIPT: as server without words, as client with its own
run() {
	local words=()
	case $2 in *-client.*) words=("${client_words[@]}") ;; esac
	: >"$1"
	timeout -k 1 "$most" "$rdmash" -q -c "set within ${within}s" -f "$2" -- "${words[@]}" \
		>>"$1" 2>&1 </dev/null &
	pid=$!
}
alive() { kill -0 "$1" 2>/dev/null; }
listens() { "$UROCE" status | grep -q listens; }
stopped() { grep -q '^stopped after' "$out.other"; }
has() { grep -E "$1" "$broken" | grep -qv -- -prepare; }

if [ "$end" = server ]; then
	run "$out.other" "$broken" && other=$pid
	until listens || stopped || ! alive "$other"; do sleep 0.02; done
	run "$out" "$tmp/seeds/$stem-client.rdma" && whole=$pid
else
	run "$out" "$tmp/seeds/$stem-server.rdma" && whole=$pid
	until listens || ! alive "$whole"; do sleep 0.02; done
	run "$out.other" "$broken" && other=$pid
fi
until stopped || ! alive "$other" || ! alive "$whole"; do sleep 0.02; done
# both are there, before one goes
until [ "$("$UROCE" status | grep -c '^slot')" -ge 2 ] || ! alive "$other" || ! alive "$whole"; do
	sleep 0.02
done
case $how in # the end itself, not the timeout that watches it
killed) pkill -9 -P "$other" ;;
gone) pkill -P "$other" ;;
esac
wait "$whole"
status=$?
pkill -P "$other"
wait "$other"

# How far it came decides what must be said. 'enough': all that the script needs of its peer.
said="has disconnected"
[ "$how" = silent ] && said="within $((within * 1000)) ms"
if [ "$end" = client ]; then
	has '^(cm )?connect' || said="accept: no request within"
	enough='^post write'
else
	has '(^|\[)accept' || { [ "$how" = silent ] && said="no ESTABLISHED of" || said=REJECTED; }
	# it had the request, and says no in its last moment
	[ "$how" = gone ] && [ "$said" = REJECTED ] && grep -q '^accept -prepare' "$broken" &&
		said='28 CONSUMER_DEFINED'
	has '^listen' || said='INVALID_SERVICE_ID: nobody listens'
	enough='^post send ours'
	[ "$stem" = rdma-example ] || enough='^accept'
fi
verdict="not ok"
if grep -qE 'Sanitizer|runtime error' "$out" "$out.other"; then
	why="a sanitizer has spoken"
elif [ "$status" = 124 ] || [ "$status" = 137 ]; then
	why="it did not end in time"
elif has "$enough" && [ "$status" = 0 ]; then
	verdict=ok why="it has all it needs"
elif [ "$status" = 0 ]; then
	why="it ended as if all were well"
elif grep -qF -- "$said" "$out"; then
	verdict=ok why=$(grep -m 1 -F -- "$said" "$out")
else
	why="exit status $status without '$said'"
fi
echo "$verdict: $stem, $end stops after $n and is $how: ${why#"$tmp/seeds/"}"
[ "$verdict" = ok ] && exit
sed 's/^/    /' "$out"
exit 1

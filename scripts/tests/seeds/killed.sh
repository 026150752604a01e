#!/bin/bash
# SPDX-License-Identifier: MIT
# killed.sh RDMASH [WORD]: one end of a transfer is killed (SIGKILL) in the middle; the other end
# must not report that everything has come. On the embedded device, each try (those with WORD) in a
# network of its own.
# Scripts of scripts/seeds and scripts/labs. A sed expression determines the middle: it changes one
# end, which then prints "mid" once, and waits.
# shellcheck disable=SC2016 # dollars are Tcl's
set -u
rdmash=$1 word=${2-}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../wait.sh
. "$here/../wait.sh"

# what|who is killed|server's script|its words|client's script|its words|the client's middle|said
tries='bulk|client|seeds/lab-bulk-server|7471 16m|seeds/lab-bulk-client|@ 7471 16m 64k|/>= 64} batch_done/s/$/; if {$completed >= 32} mid/|expected 16777216, got
bulk|server|seeds/lab-bulk-server|7471 16m|seeds/lab-bulk-client|@ 7471 16m 64k|/>= 64} batch_done/s/$/; if {$completed == 32} mid/|ended with WR_FLUSH_ERR
tcp|client|seeds/lab-tcp-server|9000 64m|seeds/lab-tcp-client|@ 9000 64m|/progress/s/$/; if {$sent > 8000000} mid/|tcp
tcp|server|seeds/lab-tcp-server|9000 64m|seeds/lab-tcp-client|@ 9000 64m|/progress/s/$/; if {$sent == 8388608} mid/|tcp
file|client|seeds/geek-file-server|$dir/in 1|seeds/geek-file-client|@ $dir/large|/incr total/s/$/; if {$total > 10485760} mid/|the connection has ended
file|server|seeds/geek-file-server|$dir/in 1|seeds/geek-file-client|@ $dir/large|/incr total/s/$/; if {$total == 20971520} mid/|the connection has ended
mr-cache|client|seeds/lab-mr-cache-server||seeds/lab-mr-cache-client|@ 7473|/mr_put .mr$/s/$/; if {$i == 20} mid/|the letter of the last iteration
example|client|seeds/rdma-example-server||seeds/rdma-example-client|-a @ -s 0123456789|s/^post write src/post write src -len 5/; /^post read/s/^/mid; /|expected 10, got 5
labs: mr-cache|client|labs/mr-cache|server|labs/mr-cache|client @|/^	post write/s/^/if {$i == 20 \&\& [info exists ::without]} mid; /|the server has it
labs: netem|client|labs/netem|server|labs/netem|client @|/^	foreach {what faults}/s/$/; if {$what eq "is 2 ms longer"} mid/|the server has all of the last
labs: tuning|client|labs/tuning|server|labs/tuning|client @|/mem fill buf/s/$/; if {$chunk == 4096} mid/|the server has all of the last'

if [ "$word" != --try ]; then
	said=$(grep -F -- "$word" <<<"$tries" |
		xargs -d '\n' -P 4 -n 1 bash "$here/../on.sh" uroce bash "$0" "$rdmash" --try)
	status=$?
	printf '%s\n' "$said"
	grep -q skipped <<<"$said" && exit 77
	exit "$status"
fi

IFS='|' read -r what killed server server_words client client_words middle said <<<"$3"
dir=$(mktemp -d /tmp/seeds-killed.XXXXXX) || exit 1
trap 'rm -rf "$dir"' EXIT
cp -r "$here/../../seeds" "$here/../../labs" "$dir"
mkdir "$dir/in"
truncate -s 30M "$dir/large"
sed "$middle" "$here/../../$client.rdma" >"$dir/$client-mid.rdma"
cmp -s "$dir/$client-mid.rdma" "$dir/$client.rdma" && { echo "not ok: $what: there is no middle"; exit 1; }
sed -i '1i proc mid {} { echo mid; sleep 2s; proc mid {} {} }' "$dir/$client-mid.rdma"
exec 2>/dev/null # where bash tells of jobs that were killed

# run SCRIPT WORDS OUT
run() {
	local words
	eval "words=(${2//@/10.0.0.1})"
	"$rdmash" -q --allow-dir "$dir" -c 'set within 60s' -f "$dir/$1.rdma" -- "${words[@]}" \
		>"$dir/$3" 2>&1 </dev/null &
}
listens() {
	grep -q 'server listening' "$dir/server.out" || [[ $("$UROCE" status) == *listens* ]]
}
run "$server" "$server_words" server.out
server_pid=$!
until listens || ! kill -0 "$server_pid" 2>/dev/null; do nap 0.05; done
run "$client-mid" "$client_words" client.out
client_pid=$!
until grep -q '^mid' "$dir/client.out" || ! kill -0 "$client_pid" 2>/dev/null; do nap 0.05; done
if [ "$killed" = client ]; then
	kill -9 "$client_pid"
	other=server pid=$server_pid
else
	kill -9 "$server_pid"
	other=client pid=$client_pid
fi
wait "$pid"
status=$?
kill -9 "$client_pid" "$server_pid" 2>/dev/null
if grep -q '^mid' "$dir/client.out" && [ "$status" != 0 ] && [ "$status" -lt 100 ] &&
	grep -qF -- "$said" "$dir/$other.out" && { [ "$killed" = server ] || [ -z "$(find "$dir/in" -type f -size +0)" ]; }; then
	echo "ok: $what, the $killed is killed: $(grep -m 1 -F -- "$said" "$dir/$other.out")"
	exit
fi
echo "not ok: $what, the $killed is killed: exit status $status of the $other, wanted '$said'"
sed 's/^/    /' "$dir/client.out" "$dir/server.out"
exit 1

#!/bin/bash
# SPDX-License-Identifier: MIT
# seeds.sh RDMASH MODE [WORD]: each pair of scripts/seeds in seeds.list (those with WORD in
# their line) against each other: each end must exit with 0, print the expected lines, and
# fail no check.
#   uroce  on the embedded device, in a network of its own
#   rxe    in one machine, on the kernel's rxe
#   pair   in two machines
set -u
rdmash=$1 mode=$2 word=${3-}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../wait.sh
. "$here/../wait.sh"
lab=$here/../../rxe-lab
seeds=$here/../../seeds
case $mode in
uroce) export UROCE=${UROCE-$(dirname "$rdmash")/bin/uroce} ;;
rxe | pair) unset UROCE ;;
esac
self=(bash "$here/seeds.sh" "$rdmash")
most=300 # seconds that one script may take

pairs() {
	sed -n "/^#/d; s/@/$address/g; /./p" "$here/seeds.list" | grep -F -- "$word" |
		grep -v -- "$without"
}

# run SCRIPT|%ROLE WORDS OUT: with words as a shell reads them; $dir is a directory for files
run() {
	local words dir=${3%/*}
	local play=("$rdmash" --allow-dir "$dir" -c 'set within 100s' -f "$seeds/$1.rdma" --)
	eval "words=($2)"
	case $1 in
	%*) play=(${UROCE:+"$UROCE"} "$(dirname "$rdmash")/scripts/tests/seeds_peer" "${1#%}") ;;
	esac
	timeout "$most" "${play[@]}" "${words[@]}" >"$3" 2>&1 </dev/null
}

# end server|client NAME: NAME-server, or its word of "NAME%ROLE": that is the other end
end() {
	case $2 in
	*%*-"$1") echo "%${2#*%}" ;;
	*) echo "${2%%%*}-$1" ;;
	esac
}

# judge WHAT STATUS OUT WANTED
judge() {
	if [ "$2" = 0 ] && in_file "$3" "$4" && ! in_file "$3" Sanitizer &&
		! in_file "$3" 'runtime error'; then
		echo "ok: $1"
		return
	fi
	echo "not ok: $1: exit status $2, wanted 0 and '$4'"
	sed 's/^/    /' "$3"
	failures=$((failures + 1))
}

# servers DIR: one after the other; DIR/ready.N tells the other side
servers() {
	local n=0 what name server client says wanted
	while IFS='|' read -r what name server client says wanted; do
		n=$((n + 1))
		[ -e "$seeds/$name.rdma" ] && touch "$1/ready.$n" && continue
		run "$(end server "$name")" "$server" "$1/server.$n" &
		until listens || ! kill -0 $! 2>/dev/null; do nap 0.1; done
		touch "$1/ready.$n"
		wait $!
		judge "${what#+}, server" $? "$1/server.$n" "$says"
	done < <(pairs)
	exit $((failures > 0))
}

clients() {
	local n=0 what name server client says wanted end
	mkdir "$1/in" && yes RDMA | head -c 26214400 >"$1/in/25 MiB" && : >"$1/in/nothing"
	while IFS='|' read -r what name server client says wanted; do
		n=$((n + 1))
		until [ -e "$1/ready.$n" ]; do nap 0.05; done
		end=$(end client "$name")
		[ -e "$seeds/$name.rdma" ] && end=$name # both ends in one script
		run "$end" "$client" "$1/client.$n"
		judge "${what#+}, client" $? "$1/client.$n" "$wanted"
	done < <(pairs)
	exit $((failures > 0))
}

failures=0
address=10.0.0.1
without='^$'
case $mode in
both) [ -n "${UROCE-}" ] || without='^+' ;;
pair | servers | clients) without='^+\|%' ;; # the program is tried on one host
esac
case $mode in
uroce | rxe)
	exec bash "$here/../on.sh" "$mode" "${self[@]}" both "$word"
	;;
pair)
	"$lab" check pair || exit
	exec "$lab" pair -t "${SEEDS_LIMIT-580}" -d 0 "$(printf '%q ' "${self[@]}" servers "$word")" \
		"$(printf '%q ' "${self[@]}" clients "$word")"
	;;
both)
	tmp=$(mktemp -d /tmp/seeds.XXXXXX) || exit 1
	(servers "$tmp") &
	(clients "$tmp")
	status=$?
	wait $! || status=1
	rm -rf "$tmp"
	exit "$status"
	;;
servers | clients)
	"$mode" "$LAB_DIR"
	;;
*)
	echo "unknown mode $mode" >&2
	exit 2
	;;
esac

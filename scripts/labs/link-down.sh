#!/bin/bash
# SPDX-License-Identifier: MIT
#
# link-down.sh uroce|rxe bw|rping SECONDS: what both ends see when the link of the client is down for so
# long, under ib_write_bw or rping: how each program ends, the asynchronous events, the GIDs before and
# afterwards. uroce: two network namespaces, each with a veth to a bridge (as root); rxe: two machines of
# the lab. The table of docs/faults.md was made with it. UROCE is the program uroce, else that in PATH.
# shellcheck disable=SC2016
set -u
self=$(realpath -e -- "${BASH_SOURCE[0]}")
lab=${self%/*}/../rxe-lab

gids() {
	"${uroce[@]}" ibv_devinfo -v 2>/dev/null | sed -n 's/.*GID\[ *[0-9]*\]:[ \t]*\([^ ,]*\).*/\1/p' | tr '\n' ' '
}

# traffic flows, or the program has ended
has_begun() {
	[ -e "$out/exit" ] || { [ "$tool" = bw ] && grep -q '#bytes' "$out/said"; } ||
		{ [ "$tool" = rping ] && [ "$(grep -c '^ping data\|^server ping' "$out/said")" -gt 20 ]; }
}

one_end() { # server|client
	local never to watch
	case $1$tool in
	serverbw) program=(ib_write_bw -F -D "$duration") ;;
	clientbw) program=(ib_write_bw -F -D "$duration" 10.0.0.1) ;;
	serverrping) program=(rping -v -s -a 10.0.0.1) ;;
	clientrping) program=(rping -v -c -a 10.0.0.1 -C 100000000) ;;
	esac
	out=$(mktemp -d)
	touch "$out/said"
	stdbuf -oL "${uroce[@]}" ibv_asyncwatch >"$out/events" 2>&1 &
	watch=$!
	echo "$1: before: $(gids)"
	{
		stdbuf -oL timeout -s KILL $((duration + 6)) "${uroce[@]}" "${program[@]}" >"$out/said" 2>&1
		echo $? >"$out/exit"
	} 2>/dev/null &
	until has_begun; do sleep 0.1; done
	sleep 1
	if [ "$1" = client ]; then # ip is there already: in the lab it takes seconds to start
		exec {never}<> <(:) {to}> >(exec ip -batch -)
		echo link set eth0 down >&"$to"
		read -r -t "$seconds" -u "$never"
		echo link set eth0 up >&"$to"
	fi
	until [ -e "$out/exit" ]; do sleep 0.1; done
	case $(<"$out/exit") in
	0) echo "$1: it has succeeded" ;;
	137) echo "$1: it went on until it was ended: $(tail -n 1 "$out/said" | cut -c1-40)" ;;
	*) echo "$1: exit code $(<"$out/exit"): $(grep -im 1 'status\|fail' "$out/said")" ;;
	esac
	kill $watch
	echo "$1: events: $(grep -o 'IBV_EVENT_[A-Z_]*' "$out/events" | tr '\n' ' ')"
	echo "$1: afterwards: $(gids)"
	rm -r "$out"
}

on_uroce() {
	uroce=("${UROCE:-uroce}")
	unshare --net sleep 1000 &
	server=$!
	unshare --net sleep 1000 &
	client=$!
	trap 'kill $server $client' EXIT
	ip link add br0 type bridge && ip link set br0 up || exit
	for end in 1:$server 2:$client; do
		until [ "$(readlink "/proc/${end#*:}/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
		ip link add eth0 netns "${end#*:}" type veth peer name "port${end%:*}" &&
			ip link set "port${end%:*}" master br0 up || exit
		nsenter -t "${end#*:}" -n sh -c 'echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad; ip link set lo up
			for a in 10.0.0.$0/24 fd00::$0/64; do ip addr add $a dev eth0; done; ip link set eth0 up' "${end%:*}"
	done
	nsenter -t $server -n "$self" end server "$tool" "$seconds" "${uroce[@]}" &
	local job=$!
	until nsenter -t $server -n ss -Hltn 'sport = :18515' | grep -q . || [ "$tool" = rping ]; do sleep 0.1; done
	sleep 2
	nsenter -t $client -n "$self" end client "$tool" "$seconds" "${uroce[@]}"
	wait $job
}

case ${1-} in
end)
	tool=$3 seconds=$4
	uroce=("${@:5}")
	duration=$((${seconds%.*} + 6))
	one_end "$2"
	;;
uroce)
	[ $# = 3 ] && tool=$2 seconds=$3 || exit 2
	[ -n "${LINK_DOWN_NETWORK-}" ] || LINK_DOWN_NETWORK=own exec unshare --net "$self" "$@"
	on_uroce
	;;
rxe)
	[ $# = 3 ] || exit 2
	exec "$lab" pair -t 300 "'$self' end server $2 $3" "'$self' end client $2 $3"
	;;
*)
	sed -n '4,8s/^# //p' "$self"
	exit 2
	;;
esac

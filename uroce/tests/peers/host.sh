#!/bin/bash
# SPDX-License-Identifier: MIT
#
# host.sh UROCE ABUSE: hosts that are not as they should be: the port is taken, there is no
# IPv6, addresses come and go, interfaces are narrow, users and processes are many.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2317
. "$(dirname "$0")/lib.sh" "$@"
abuse=$2
need python3 rping ibv_devinfo

# says WORD... -- COMMAND...: it fails, in time, and prints all these words
says() {
	local words=() word
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	! timeout 120 "$@" >"$tmp/said" 2>&1 || return 1
	cat "$tmp/said"
	for word in "${words[@]}"; do
		grep -qF -- "$word" "$tmp/said" || return 1
	done
}

# another program at the port
cat >"$tmp/taker.py" <<'END'
import socket, sys
s = socket.socket(getattr(socket, sys.argv[1]), socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, int(sys.argv[3]))
s.bind((sys.argv[2], 4791))
print('here', flush=True)
sys.stdin.read()
END
for how in 'AF_INET6 :: 0' 'AF_INET 127.0.0.1 0' 'AF_INET6 :: 1'; do
	# shellcheck disable=SC2086  # words
	coproc taker { exec python3 "$tmp/taker.py" $how; }
	read -r _ <&"${taker[0]}"
	# shellcheck disable=SC2154  # bash sets it
	pid=$taker_PID
	ok "port taken ($how): by whom, and what to do" says 'UDP port 4791 is in use' "$pid" python3 \
		'End it' -- "$uroce" ibv_devinfo
	ok "port taken ($how): rdma_cm says the errno" says 'Address already in use' -- \
		"$uroce" rping -s -a 127.0.0.1
	kill "$pid"
	wait "$pid"
done
ok 'then it is free' timeout 120 "$uroce" "$abuse" plain

# another user
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups test -x "$uroce" 2>/dev/null; then
	"$uroce" rping -s -a 127.0.0.1 -P >/dev/null 2>&1 &
	pid=$!
	started+=("$pid")
	until_listening 7174
	ok 'another user has it' says 'UDP port 4791 is in use' 'of user root' -- \
		setpriv --reuid 65534 --clear-groups "$uroce" ibv_devinfo
	kill "$pid"
	wait "$pid"
fi

# as many processes as there can be
"$uroce" rping -s -a 127.0.0.1 -P -p 9000 >/dev/null 2>&1 &
started+=("$!")
for i in {1..62}; do
	"$uroce" rping -s -a 127.0.0.1 -P -p $((9000 + i)) >/dev/null 2>&1 &
	started+=("$!")
	last=$!
done
slots() { [ "$("$uroce" status | grep -c '^slot')" = "$1" ]; }
ok '63 processes' within 30 slots 63
ok 'the 64th' says '63 processes' 'uroce status' -- "$uroce" ibv_devinfo
ok 'the 63rd listens' timeout 120 "$uroce" true
kill -9 "$last"
wait "$last" 2>/dev/null
ok 'one ends: there is room' timeout 120 "$uroce" ibv_devinfo
kill "${started[@]}" 2>/dev/null
wait
started=()

# the descriptors of a shell that allows few
for n in 64 100; do
	ok "$n descriptors" bash -c "ulimit -n $n; $(declare -f says); tmp=$tmp
		says 'too many open files' 'ulimit -n' -- '$uroce' ibv_devinfo ||
			timeout 120 '$uroce' '$abuse' plain"
done

# a kernel that cannot steer packets to sockets
ok 'no steering: it says so' says 'cannot share a UDP port' -- "$abuse" unsteered "$uroce" ibv_devinfo

# addresses that come and go
ok 'addresses that come and go' timeout 120 "$uroce" "$abuse" addresses
each 'a narrow interface' timeout 120 "$uroce" "$abuse" narrow

# no IPv6
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
ok 'no IPv6: no GID of it' bash -c "! '$uroce' ibv_devinfo -v | grep -q 'GID.*[^f]::1'"
ok 'no IPv6: it works' timeout 120 "$uroce" "$abuse" plain
both 'no IPv6: rdma_cm' 'until_listening 7174' "rping_counted '$uroce' 3 -s -a 127.0.0.1 -C 3" \
	"rping_counted '$uroce' 3 -c -a 127.0.0.1 -C 3"
finish

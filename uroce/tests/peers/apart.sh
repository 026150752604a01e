#!/bin/bash
# SPDX-License-Identifier: MIT
#
# apart.sh UROCE APART [ROUNDS]: what one process does to the memory of another: it works in all
# surroundings, and packets go through memory where they can.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2317
. "$(dirname "$0")/lib.sh" "$@"
apart=$2 rounds=${3-400}
unset UROCE_PATH # which way packets take is what this is about

goes() { [ "$(grep -c "qp .*RTS.* by $1" "$tmp/works")" = 2 ]; }

# run WHO WAY COMMAND: it works, and packets take that way: memory or UDP. Up to three times: on a busy
# machine all may be over before the two have memory in common. Status 77: this surrounding cannot be
# had here.
run() {
	local who=$1 way=$2 status

	for _ in 1 2 3; do
		timeout 60 bash -c "$3" >"$tmp/works" 2>&1
		status=$?
		[ $status != 77 ] || { echo "skipped: $who"; return; }
		[ $status = 0 ] || {
			not_ok "$who: works: status $status"
			cat "$tmp/works"
			return
		}
		! goes "$way" || break
	done
	echo "ok: $who: works"
	ok "$who: by $way" goes "$way" || cat "$tmp/works"
}
works() { "$uroce" "$apart" works "$@"; }
export -f works
export uroce apart

run 'as usual' memory works
run 'UROCE_PATH=udp' UDP 'UROCE_PATH=udp works'
run 'faults' memory 'UROCE_FAULT=dup=10% works'
run 'a capture' memory "UROCE_PCAP=$tmp/packets works"
run 'no memfd, no pidfd' UDP 'works sandboxed'
run 'files may not be large' UDP 'ulimit -f 1000; works'
run 'another PID namespace' UDP 'works pids'
run 'another user namespace' memory 'works users'
run 'files of at most 8 KiB' UDP 'ulimit -f 8; works'
run 'no locked memory' memory 'ulimit -l 0; works'
says_no_proc() { "$uroce" "$apart" works noproc 2>&1 | grep '/proc is not mounted here: mount -t proc'; }
! unshare --mount mount -t tmpfs none /proc 2>/dev/null || ok 'no /proc: says so' says_no_proc
if command -v tcpdump >/dev/null; then
	tcpdump -i lo -w /dev/null 2>"$tmp/tcpdump" &
	pid=$!
	started+=("$pid")
	within 10 grep -q listening "$tmp/tcpdump"
	run 'tcpdump' UDP works
	kill "$pid"
	wait "$pid"
fi

# who is not root may not open what cannot be traced
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups test -x "$apart" 2>/dev/null; then
	as='setpriv --reuid 65534 --clear-groups'
	run 'a user' memory "$as bash -c works"
	run 'a user, not dumpable' memory "$as bash -c 'works hidden'"
fi
ok 'memory that is taken back is not touched' timeout 250 "$uroce" "$apart" race "$rounds"
finish

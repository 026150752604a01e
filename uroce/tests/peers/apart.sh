#!/bin/bash
# SPDX-License-Identifier: MIT
#
# apart.sh UROCE APART [ROUNDS]: what one process does to the memory of another, with and without
# packets: it works in all surroundings, and goes without packets only where it should.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2317
. "$(dirname "$0")/lib.sh" "$@"
apart=$2 rounds=${3-400}
unset UROCE_PATH # who goes without packets is what this is about

# as_wanted SIDE some|none: what that process has done without packets, by its last line
as_wanted() {
	local got

	cat "$tmp/works"
	got=$(sed -n "s/^$1: direct_writes \(.*\) direct_reads \(.*\)/\1 \2/p" "$tmp/works")
	case $2:$got in
	some:0\ * | some:*\ 0 | none:[1-9]* | none:*\ [1-9]* | *:) return 1 ;;
	esac
}

# direct WHO FIRST SECOND COMMAND...: it works; the processes have done something without packets
# (some) or nothing (none). Up to three times: on a busy machine all may be over before the two have
# memory in common. Status 77: this surrounding cannot be had here.
direct() {
	local who=$1 first=$2 second=$3 status
	shift 3

	for _ in 1 2 3; do
		timeout 60 "$@" >"$tmp/out" 2>&1
		status=$?
		[ $status != 77 ] || { echo "skipped: $who"; return; }
		[ $status = 0 ] || {
			not_ok "$who: works: status $status"
			cat "$tmp/out"
			return
		}
		echo "ok: $who: works"
		cp "$tmp/out" "$tmp/works"
		as_wanted first "$first" >/dev/null && as_wanted second "$second" >/dev/null && break
	done
	ok "$who: first one: $first without packets" as_wanted first "$first"
	ok "$who: second one: $second without packets" as_wanted second "$second"
}
works() { "$uroce" "$apart" works "$@"; }
export -f works
export uroce apart
run() { direct "$1" "$2" "$3" bash -c "$4"; }

run 'as usual' some some works
run 'UROCE_DIRECT=0' none none 'UROCE_DIRECT=0 works'
run 'UROCE_PATH=udp' none none 'UROCE_PATH=udp works'
run 'faults' none none 'UROCE_FAULT=dup=10% works'
run 'a capture' none none "UROCE_PCAP=$tmp/packets works"
run 'no memfd, no pidfd' none none 'works sandboxed'
run 'files may not be large' none none 'ulimit -f 1000; works'
run 'another PID namespace' none none 'works pids'
run 'another user namespace' some none 'works users'
run 'files of at most 8 KiB' none none 'ulimit -f 8; works'
run 'no locked memory' some some 'ulimit -l 0; works'
says_no_proc() { "$uroce" "$apart" works noproc 2>&1 | grep '/proc is not mounted here: mount -t proc'; }
! unshare --mount mount -t tmpfs none /proc 2>/dev/null || ok 'no /proc: says so' says_no_proc
if command -v tcpdump >/dev/null; then
	tcpdump -i lo -w /dev/null 2>"$tmp/tcpdump" &
	pid=$!
	started+=("$pid")
	within 10 grep -q listening "$tmp/tcpdump"
	run 'tcpdump' none none works
	kill "$pid"
	wait "$pid"
fi

# who is not root may not open what cannot be traced
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups test -x "$apart" 2>/dev/null; then
	as='setpriv --reuid 65534 --clear-groups'
	run 'a user' some some "$as bash -c works"
	run 'a user, not dumpable' none some "$as bash -c 'works hidden'"
fi
ok 'memory that is taken back is not touched' timeout 250 "$uroce" "$apart" race "$rounds"
finish

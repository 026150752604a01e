# shellcheck shell=bash
# shellcheck disable=SC2015
# SPDX-License-Identifier: MIT
#
# For the tests of the lab: `. lib.sh' gives
#	$lab			the program rxe-lab
#	$tmp			a directory of this test's, removed at its end;
#				TMPDIR, that is where the jobs' directories are
#	can_run [ARG...]	skip (77) unless `rxe-lab check ARG...' says yes
#	ok WHAT COMMAND...	COMMAND must succeed
#	equal WHAT GOT WANTED
#	nothing_left WHAT	no process, mount or directory of a job
#	finish			the last line: the status of the test

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lab=$scripts/rxe-lab
# its path must be short: there are unix sockets in it
tmp=$(mktemp -d /tmp/lab-test.XXXXXX) || exit 1
export TMPDIR=$tmp
trap 'rm -rf "$tmp"' EXIT
failures=0

# by this in its environment a process is known as this test's
export LAB_TEST_MARK="$$.$RANDOM"

skip() {
	echo "skipped: $*"
	exit 77
}

can_run() {
	local reason status
	reason=$("$lab" check "$@" 2>&1)
	status=$?
	[ $status != 77 ] || skip "$(tail -n 1 <<< "$reason")"
	[ $status = 0 ] || {
		echo "$reason"
		echo "not ok: rxe-lab check $*: $status"
		exit 1
	}
}

not_ok() {
	echo "not ok: $*"
	failures=$((failures + 1))
}

ok() {
	local what=$1
	shift
	if "$@"; then echo "ok: $what"; else not_ok "$what"; fi
}

equal() {
	if [ "$2" = "$3" ]; then echo "ok: $1"; else not_ok "$1: wanted [$3], got [$2]"; fi
}

# has WHAT FILE PATTERN: a line of the file matches
has() {
	if grep -Eq -- "$3" "$2"; then
		echo "ok: $1"
	else
		not_ok "$1: no line like [$3] in"
		sed 's/^/    /' "$2"
	fi
}

# the processes of a job: they have the mark, and a command of the lab's
left_processes() {
	local environ pid
	for environ in /proc/[0-9]*/environ; do
		pid=${environ%/environ}
		pid=${pid#/proc/}
		[ "$pid" != $$ ] && [ "$pid" != "$BASHPID" ] || continue
		grep -qa "LAB_TEST_MARK=$LAB_TEST_MARK" "$environ" 2> /dev/null || continue
		tr '\0' ' ' < "/proc/$pid/cmdline" 2> /dev/null |
			grep -Ea 'qemu-system|rxe-lab|unshare' && echo "(pid $pid)"
	done
}

nothing_left() {
	# a killed process may take a moment to go away
	local i left
	for ((i = 0; i < 100; i++)); do
		left=$(left_processes)
		[ -n "$left" ] || break
		sleep 0.1
	done
	equal "$1: no process is left" "$left" ''
	equal "$1: no directory is left" "$(find "$tmp" -maxdepth 1 -name 'rxe-lab.*')" ''
	equal "$1: no mount is left" "$(grep -F "$tmp" /proc/self/mounts)" ''
}

finish() {
	[ $failures = 0 ] || echo "$failures not ok"
	exit $((failures > 0))
}

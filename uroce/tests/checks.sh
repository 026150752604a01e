# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Shared by the tests with other programs; sourced by peers/lib.sh and interop/lib.sh, whose
# heads say what each function does.

# before a command: it runs in a network of its own
# shellcheck disable=SC2034
own_network=(unshare --net)
[ "$(id -u)" = 0 ] || own_network=(unshare --user --map-root-user --net)

need() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || { echo "no $program here: skipped"; exit 77; }
	done
}

# makes $tmp; what is in ${started[@]} ends with the test
start_checks() {
	tmp=$(mktemp -d /tmp/uroce-test.XXXXXX) || exit 1
	started=()
	failures=0
	trap 'kill "${started[@]}" 2>/dev/null; rm -rf "$tmp"' EXIT
	# those programs free little at their end, and are not ours
	export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
}

not_ok() {
	echo "not ok: $*"
	failures=$((failures + 1))
}

ok() {
	local what=$1
	shift
	if "$@" >"$tmp/out" 2>&1; then
		echo "ok: $what"
	else
		not_ok "$what: status $?"
		sed 's/^/    /' "$tmp/out"
	fi
}

finish() {
	[ "$failures" = 0 ] || echo "$failures not ok"
	exit $((failures > 0))
}

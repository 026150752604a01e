# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For tests of other programs on the device: `. lib.sh PROGRAM-UROCE' gives
#	$uroce			the program uroce
#	$tmp			a directory of this test's, removed at its end
#	need PROGRAM...		skip (77) unless they are installed
#	ok WHAT COMMAND...	COMMAND must succeed
#	each WHAT COMMAND...	the same, or end with 77: it cannot be tried here
#	both NAME READY SERVER CLIENT	two command lines on the device: both must end with 0
#	until_listening WORD	until a process of the device listens: of uroce status
#	until_port N		until something listens on TCP port N
#	finish			the last line: the status of the test
# The test runs in a network of its own, with a loopback interface only: UDP port 4791 is
# the whole host's.

uroce=$1
if [ -z "${UROCE_TEST_NETWORK-}" ]; then
	namespace=(unshare --net)
	[ "$(id -u)" = 0 ] || namespace=(unshare --user --map-root-user --net)
	if "${namespace[@]}" true 2>/dev/null; then
		UROCE_TEST_NETWORK=1 exec "${namespace[@]}" bash "$0" "$@"
	fi
	echo "no network namespaces here: skipped"
	exit 77
fi
ip link set lo up || exit 1

tmp=$(mktemp -d /tmp/uroce-test.XXXXXX) || exit 1
started=()
failures=0
trap 'kill "${started[@]}" 2>/dev/null; rm -rf "$tmp"' EXIT
# those programs free little at their end, and are not ours
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

need() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || { echo "no $program here: skipped"; exit 77; }
	done
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

each() {
	local what=$1 status
	shift
	"$@" >"$tmp/out" 2>&1
	status=$?
	case $status in
	0) echo "ok: $what" ;;
	77) echo "skipped: $what: $(tail -n 1 "$tmp/out")" ;;
	*)
		not_ok "$what: status $status"
		sed 's/^/    /' "$tmp/out"
		;;
	esac
}

# within SECONDS COMMAND...: until it succeeds
within() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.02
	done
}

listens() { "$uroce" status | grep -q "listen.*$1"; }
until_listening() { within 20 listens "$1"; }
until_port() {
	local hex
	printf -v hex ':%04X 0' "$1"
	within 20 grep -Eqs "${hex}[0-9A-F:]+ 0A" /proc/net/tcp /proc/net/tcp6
}

# both NAME READY SERVER CLIENT: READY waits until the server can be called
both() {
	local name=$1 ready=$2 server=$3 client=$4 pid status

	timeout 60 bash -c "$server" >"$tmp/server" 2>&1 &
	pid=$!
	started+=("$pid")
	if ! $ready; then
		kill "$pid" 2>/dev/null
		not_ok "$name: the server is not there"
		sed 's/^/    server: /' "$tmp/server"
		return
	fi
	timeout 60 bash -c "$client" >"$tmp/client" 2>&1
	status=$?
	wait "$pid"
	if [ "$status" = 0 ] && wait "$pid"; then
		echo "ok: $name"
		return
	fi
	not_ok "$name: client $status"
	tail -n 20 "$tmp/server" | sed 's/^/    server: /'
	tail -n 20 "$tmp/client" | sed 's/^/    client: /'
}

finish() {
	[ $failures = 0 ] || echo "$failures not ok"
	exit $((failures > 0))
}

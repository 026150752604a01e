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
#	served NAME READY SERVER CLIENT	the server would go on for ever: the client must end with 0
#	rping_counted UROCE PINGS ARGUMENT...	rping on the device has made that many pings
#	until_listening WORD	until a process of the device listens: of uroce status
#	until_port N		until something listens on TCP port N
#	finish			the last line: the status of the test
# The test runs in a network of its own, with a loopback interface only: UDP port 4791 is
# the whole host's.

# shellcheck source-path=SCRIPTDIR source=../checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
uroce=$1
if [ -z "${UROCE_TEST_NETWORK-}" ]; then
	if "${own_network[@]}" true 2>/dev/null; then
		UROCE_TEST_NETWORK=1 exec "${own_network[@]}" bash "$0" "$@"
	fi
	echo "no network namespaces here: skipped"
	exit 77
fi
ip link set lo up || exit 1

start_checks

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
until_listening() { within 60 listens "$1"; }
until_port() {
	local hex
	printf -v hex ':%04X 0' "$1"
	within 60 grep -Eqs "${hex}[0-9A-F:]+ 0A" /proc/net/tcp /proc/net/tcp6
}

serve() {
	local name=$1 ready=$2
	timeout 60 bash -c "$3" >"$tmp/server" 2>&1 &
	server=$!
	started+=("$server")
	$ready && return
	kill "$server" 2>/dev/null
	not_ok "$name: the server is not there"
	sed 's/^/    server: /' "$tmp/server"
	return 1
}

judge() {
	local name=$1 status=$2
	shift 2
	if [ "$status" = 0 ] && "$@"; then
		echo "ok: $name"
		return
	fi
	not_ok "$name: client $status"
	tail -n 20 "$tmp/server" | sed 's/^/    server: /'
	tail -n 20 "$tmp/client" | sed 's/^/    client: /'
}

# both NAME READY SERVER CLIENT: READY waits until the server can be called
both() {
	serve "$1" "$2" "$3" || return
	timeout 60 bash -c "$4" >"$tmp/client" 2>&1
	judge "$1" $? wait "$server"
}

# rping ends with 0 whenever the other end disconnects, after whatever error: so its pings count. One
# that has made them all may still end with an error: it destroys its event channel while a thread of
# its own is about to wait for events there. That is so with every device.
rping_race='rdma_get_cm_event: Bad file descriptor'
rping_counted() {
	local said pinged status=0
	said=$("$1" rping -vV "${@:3}" 2>&1 >"$tmp/pings.$$") || status=$?
	pinged=$(grep -acE '^(server )?ping data: rdma-ping-' "$tmp/pings.$$")
	printf '%s\n' "$said" "pinged $pinged of $2, status $status"
	[ "$pinged" = "$2" ] && { [ "$status" = 0 ] || [ "${said##*$'\n'}" = "$rping_race" ]; }
}
export rping_race tmp
export -f rping_counted

# ended_well PID: it had to be ended, or has with status 0, as cmtime does of newer rdma-core
ended_well() {
	kill "$1" 2>/dev/null && { wait "$1" || true; return; }
	wait "$1"
}

served() {
	local status
	serve "$1" "$2" "$3" || return
	timeout 60 bash -c "$4" >"$tmp/client" 2>&1
	status=$?
	judge "$1" "$status" ended_well "$server"
}

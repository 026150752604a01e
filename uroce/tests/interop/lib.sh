# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For tests of the device against the kernel's rxe: `. lib.sh UROCE RDMASH' runs the test that
# sources it in a network namespace of this host, on one Ethernet with a machine of the lab
# where rxe is, and gives
#	$tmp			a directory of this test's, removed at its end
#	need PROGRAM...		skip (77) unless they are installed
#	at SIDE TEXT		bash runs the text at uroce or rxe, with these variables: $on (to be
#				put before a program), $rdmash, $me and $peer, $me6 and $peer6,
#				$job (a directory that both sides have); and the function stay:
#				a server that does not end by itself does when the client has
#	ok WHAT COMMAND...	COMMAND must succeed
#	same WHAT GOT WANTED
#	pair NAME SIDE PORT SERVER CLIENT [OTHER]	two texts, the server's at SIDE, the
#				client's at the other (or at OTHER) when something listens on
#				PORT (N, or N/tcp): both must end with 0
#	both NAME PORT SERVER CLIENT	pair, with the server at rxe and at uroce
#	finish			the last line: the status of the test
# A test may set before: the array `bridge', more options of rxe-lab; limit: seconds for each
# text of a pair (120).

uroce=$(realpath "$1") rdmash=$(realpath "$2")
agent=514 # TCP port of the machine: what comes there bash runs

. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"

if [ -z "${UROCE_INTEROP-}" ]; then
	lab=$(dirname "${BASH_SOURCE[0]}")/../../../scripts/rxe-lab
	need busybox
	"$lab" check bridge || exit
	printf -v inside '%q ' bash "$(realpath "$0")" "$@"
	# shellcheck disable=SC2016,SC2154
	UROCE_INTEROP=1 exec "$lab" bridge -t 1100 "${bridge[@]}" \
		"$inside"'; s=$?; touch $LAB_DIR/over; exit $s' \
		"busybox nc -ll -p $agent -e /bin/bash & lab-wait over"
fi

start_checks

# shellcheck disable=SC2016
stay='stay() { exec {never}<> <(:); until [ -e $job/left ]; do read -rt 0.1 -u $never; done
		kill $(jobs -p); wait; true; }
	export -f stay;'

at_uroce() {
	on=$uroce rdmash=$rdmash me=10.0.0.2 me6=fd00::2 peer=10.0.0.1 peer6=fd00::1 \
		job=$LAB_DIR bash -c "$stay $1" </dev/null 2>&1
}

at_rxe() {
	local line text status=99

	printf -v text 'export on= rdmash=%q me=10.0.0.1 me6=fd00::1 peer=10.0.0.2 peer6=fd00::2;' \
		"$rdmash"
	exec 3<>/dev/tcp/10.0.0.1/$agent || return
	printf '(cd %q; export job=/lab; %s %s %s\n) </dev/null 2>&1; s=$?; echo; echo "status $s"; exit\n' \
		"$PWD" "$text" "$stay" "$1" >&3
	while IFS= read -r line <&3; do
		case $line in
		'status '*) status=${line#status } ;;
		*) printf '%s\n' "$line" ;;
		esac
	done
	exec 3>&-
	return "$status"
}

at() { "at_$1" "$2"; }

same() {
	if [ "$2" = "$3" ]; then echo "ok: $1"; else not_ok "$1: wanted [$3], got [$2]"; fi
}

# until something listens on that port of the RDMA CM, or of TCP: 7471, 18515/tcp
until_listening() {
	local side=$1 port=${2%/tcp} answer

	if [ "$side" = rxe ]; then
		echo "await $2" >&"$watcher"
		read -rt 120 answer <&"$watcher" && [ "$answer" = listening ]
	elif [ "$2" = "$port" ]; then
		awaited on_uroce "$port"
	else
		awaited on_tcp "$port"
	fi
}

on_uroce() { "$uroce" status | grep -q "listen.*$1"; }

# The functions below run in the machine, too, in one shell for all waiting: to start a program takes a tenth
# of a second there.
on_tcp() {
	local hex lines

	printf -v hex ':%04X [0-9A-F:]* 0A' "$1"
	mapfile -t lines < <(exec cat /proc/net/tcp /proc/net/tcp6)
	[[ ${lines[*]} =~ $hex ]]
}

# what listens on all addresses does so when it does on the device
on_rxe() { [[ $(rdma resource show cm_id link rxe0) =~ "state LISTEN "[^$'\n']*":$1" ]]; }

# awaited COMMAND...: it succeeds, within 110 seconds
awaited() {
	local end=$((SECONDS + 110))

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return
		read -rt 0.05 -u "$never" || true
	done
}

await() {
	case $1 in
	*/tcp) awaited on_tcp "${1%/tcp}" ;;
	*) awaited on_rxe "$1" ;;
	esac && echo listening || echo no
}

pair() {
	local name=$1 side=$2 port=$3 server=$4 client=$5 pid status server_status other=uroce
	local begin=${EPOCHREALTIME/./}

	[ "$side" = rxe ] || other=rxe
	other=${6-$other}
	rm -f "$LAB_DIR/left"
	at "$side" "timeout ${limit-120} bash -c ${server@Q}" >"$tmp/server" &
	pid=$!
	started+=("$pid")
	if ! until_listening "$side" "$port" >/dev/null; then
		kill "$pid" 2>/dev/null
		not_ok "$name: the server is not there"
		sed 's/^/    server: /' "$tmp/server"
		return
	fi
	at "$other" "timeout ${limit-120} bash -c ${client@Q}" >"$tmp/client"
	status=$?
	touch "$LAB_DIR/left"
	wait "$pid"
	server_status=$?
	if [ "$status$server_status" = 00 ]; then
		echo "ok: $name, server at $side, client at $other ($(((${EPOCHREALTIME/./} - begin) / 1000)) ms)"
		return
	fi
	not_ok "$name, server at $side, client at $other: server $server_status, client $status"
	# what comes first is the cause
	grep -v '^ok' "$tmp/server" | head -n 20 | sed 's/^/    server: /'
	grep -v '^ok' "$tmp/client" | head -n 20 | sed 's/^/    client: /'
}

both() {
	local name=$1
	shift
	pair "$name" rxe "$@"
	pair "$name" uroce "$@"
}

# a pipe that says nothing: to read it for a while is to wait without a program
exec {never}<> <(:)
until exec {watcher}<>/dev/tcp/10.0.0.1/$agent; do read -rt 0.1 -u "$never"; done 2>/dev/null
{
	declare -f on_tcp on_rxe awaited await
	echo 'exec {never}<> <(:)'
} >&"$watcher"

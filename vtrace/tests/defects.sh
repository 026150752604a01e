#!/bin/bash
# SPDX-License-Identifier: MIT
# defects.sh VTRACE DIR [NAME...]: the programs of defects/defects.list (those of these names), which
# are in DIR, under vtrace: with the client traced, and with both ends (HOW: one of these). Each cause
# has to be named, and nobody else accused. UROCE: the command in front, on the embedded device.
# TABLE=1 only counts: exact (a cause), possible, silent, false (a cause that is none), by program.
# PARTS=N, on the embedded device: N parts of the list at the same time, each in a network of its own,
# since a run mostly waits.
set -u
here=$(cd "$(dirname "$0")" && pwd)
vtrace=$1
dir=$2
shift 2
address=${ADDRESS:-10.0.0.1}
# the programs free little at their end
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
device=()
[ "${RDMASH_DEVICE:-}" != uroce0 ] || device=("$UROCE")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
rows=0
declare -A counted

fail() {
	[ -z "${TABLE:-}" ] || return
	echo "FAILED: $*"
	sed 's/^/    /' "$work/said"
	failed=1
}

# A line of those that begin with $1 (an expression) in which all of $2 matches.
is_said() {
	local pattern rest=$2
	grep -E "^ +$1  " "$work/said" >"$work/lines"
	while [ -n "$rest" ]; do
		pattern=${rest%%" & "*}
		[ "$pattern" = "$rest" ] && rest= || rest=${rest#*" & "}
		grep -iE -- "$pattern" "$work/lines" >"$work/matching"
		mv "$work/matching" "$work/lines"
	done
	[ -s "$work/lines" ]
}

# The program of a row and its case, which is no word for the programs that have only one.
choose_program() {
	case $line in
	two_qps.c* | further.c* | datagrams.c* | single.c* | kinds.c* | ids.c*) program=$dir/${line%%.c*} words=("$name") ;;
	*) program=$dir/$name words=() ;;
	esac
}

# Traces the client alone. Called by its name, as the next.
# shellcheck disable=SC2317
alone() {
	local server
	exec 3< <(exec timeout 60 "${device[@]}" "$program" server "$address" 7471 "${words[@]}" 2>&1)
	server=$!
	read -r -u 3 _
	timeout 60 "${device[@]}" "$vtrace" -q -o "$work/said" \
		"$program" client "$address" 7471 "${words[@]}" >"$work/out" 2>&1
	status=$?
	wait "$server"
	exec 3<&-
}

# shellcheck disable=SC2317,SC2016
both() {
	"${device[@]}" "$vtrace" -f -q -o "$work/said" timeout 60 bash -c \
		'"$0" server "$1" 7471 "${@:2}" | { read -r _; exec "$0" client "$1" 7471 "${@:2}"; }' \
		"$program" "$address" "${words[@]}" >"$work/out" 2>&1
	status=$?
}

# shellcheck disable=SC2317
one() {
	timeout 60 "${device[@]}" "$vtrace" -f -q -o "$work/said" \
		"$program" "$address" "${words[@]}" >"$work/out" 2>&1
	status=$?
}

# The verdict on this mistake, $1: exact, possible, silent, false.
judge() {
	if is_said cause "$1"; then
		echo exact
	elif grep -qE '^ +cause  ' "$work/said"; then
		echo false
	elif is_said 'possible cause' "$1"; then
		echo possible
	else
		echo silent
	fi
}

count() {
	local verdict
	verdict=$(judge "$1")
	counted[$verdict]=$((${counted[$verdict]:-0} + 1))
	[ -z "${TABLE:-}" ] || printf '%-8s %-6s %s\n' "$verdict" "$how" "$name"
}

check_silence() {
	if [ "$status" = 0 ] && [ ! -s "$work/said" ]; then
		[ -z "${TABLE:-}" ] || printf '%-8s %-6s %s\n' correct "$how" "$name"
		return
	fi
	[ -z "${TABLE:-}" ] || printf '%-8s %-6s %s\n' FALSE "$how" "$name"
	fail "$name, $how: exit code $status, and this is said:"
}

# Is the device rdma_rxe of Linux 6.12 or newer? It reports as flushed what it cannot send.
is_newer_rxe() { [ ${#device[@]} = 0 ] && printf '6.12\n%s\n' "$(uname -r)" | sort -VC; }

# The explanation of a program with a mistake: $1 in a line, of a cause unless $2 is not empty; only:
# of a possible cause.
check_said() {
	local verdict=cause
	[ "$status" = 1 ] || fail "$name, $how: exit code $status, not 1"
	[ -z "$2" ] || verdict='(possible )?cause'
	[ "$2" != only ] || verdict='possible cause'
	# a peer that may have ended may have answered before
	is_said "$verdict" "$1" ||
		{ [ ${#device[@]} != 0 ] && [ -n "$when_both" ] && is_said cause "$when_both"; } ||
		fail "$name, $how: '$1' is not said"
	# a limit can be raised all the same; what comes after an error names it alone; rxe's
	# LOC_QP_OP_ERR may be a RECV that is too small
	[ "$how" = alone ] || [ -n "$2" ] ||
		! grep '^ *possible cause ' "$work/said" |
		grep -qvE 'rnr_retry is|went to ERR|the RECV has room' ||
		fail "$name, $how: the cause is known, and others are accused"
}

run_row() {
	local expected=when_$how may_be=
	$how
	[ "$how" = both ] || [ "$asked" != yes ] || [ ${#device[@]} = 0 ] || expected=when_both
	[ "$how" = one ] && expected=when_alone
	[ "$asked" = possible ] && [ -n "$when_alone" ] && expected=when_alone
	[ "$expected" != when_alone ] || [ "$how" = one ] || may_be=yes
	[ "$asked" != possible ] || may_be=yes
	[ "$asked" != flushed ] || ! is_newer_rxe || may_be=only
	if [ -z "$when_alone$when_both" ]; then
		check_silence
		return
	fi
	[ -n "${!expected}" ] || expected=when_both
	count "${!expected}"
	check_said "${!expected}" "$may_be"
}

# The rows whose number modulo PARTS is $1; the counts are left in $work/counts.
# shellcheck disable=SC2034
run_rows() {
	local part=$1 number=0
	shift
	while IFS='|' read -r name when_alone when_both asked line; do
		case $name in \#* | '') continue ;; esac
		[ $# = 0 ] || [[ " $* " = *" $name "* ]] || continue
		[ $((number++ % PARTS)) = "$part" ] || continue
		rows=$((rows + 1))
		choose_program
		hows=${HOW:-alone both}
		case $line in single.c* | kinds.c* | ids.c*) hows=one ;; esac
		for how in $hows; do
			run_row
		done
	done <"$here/defects/defects.list"
	echo "$rows ${counted[exact]:-0} ${counted[possible]:-0} ${counted[silent]:-0}" \
		"${counted[false]:-0}" >"$work/counts"
}

if [ -n "${PART:-}" ]; then
	work=$WORK
	trap - EXIT
	run_rows "$PART" "$@"
	exit $failed
fi
pids=()
on=$here/../../scripts/tests/on.sh
for ((i = 0; i < ${PARTS:=1}; i++)); do
	mkdir "$work/$i"
	in=(bash "$on" uroce)
	[ "$PARTS" != 1 ] || in=()
	PARTS=$PARTS PART=$i WORK=$work/$i "${in[@]}" bash "$0" "$vtrace" "$dir" "$@" >"$work/$i/told" 2>&1 &
	pids+=($!)
done
for i in "${!pids[@]}"; do
	wait "${pids[i]}" || failed=$?
	cat "$work/$i/told"
done
[ $failed != 77 ] || exit 77
read -r rows exact possible silent false < <(
	awk '{ for (i = 1; i <= 5; i++) n[i] += $i } END { print n[1], n[2], n[3], n[4], n[5] }' \
		"$work"/*/counts)
echo "$rows programs: exact $exact, possible $possible, silent $silent, false $false"
[ $# != 0 ] || [ "$rows" = 202 ] || failed=1
exit $failed

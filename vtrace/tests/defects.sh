#!/bin/bash
# SPDX-License-Identifier: MIT
# defects.sh VTRACE DIR: the programs of defects/defects.list, which are in DIR, under vtrace: with
# the client traced, and with both ends (HOW: one of these). Each cause has to be named, and nobody
# else accused. UROCE: the command in front, on the embedded device.
set -u
here=$(cd "$(dirname "$0")" && pwd)
vtrace=$1
dir=$2
address=${ADDRESS:-10.0.0.1}
device=()
[ "${RDMASH_DEVICE:-}" != uroce0 ] || device=("$UROCE")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
rows=0

fail() {
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

# Traces the client alone. Called by its name, as the next.
# shellcheck disable=SC2317
alone() {
	local server
	exec 3< <(exec timeout 60 "${device[@]}" "$dir/$1" server "$address" 7471 2>&1)
	server=$!
	read -r -u 3 _
	"${device[@]}" "$vtrace" -q -o "$work/said" "$dir/$1" client "$address" 7471 >"$work/out" 2>&1
	status=$?
	wait "$server"
	exec 3<&-
}

# shellcheck disable=SC2317,SC2016
both() {
	"${device[@]}" "$vtrace" -f -q -o "$work/said" timeout 60 bash -c \
		'"$0" server "$1" 7471 | { read -r _; exec "$0" client "$1" 7471; }' \
		"$dir/$1" "$address" >"$work/out" 2>&1
	status=$?
}

# ${!expected} is when_alone or when_both
# shellcheck disable=SC2034
while IFS='|' read -r name when_alone when_both asked _; do
	case $name in \#* | '') continue ;; esac
	rows=$((rows + 1))
	for how in ${HOW:-alone both}; do
		$how "$name"
		expected=when_$how
		[ -z "$asked" ] || [ ${#device[@]} = 0 ] || expected=when_both
		if [ -n "$when_alone" ]; then
			[ "$status" = 1 ] || fail "$name, $how: exit code $status, not 1"
			verdict='cause'
			[ "$expected" = when_both ] || verdict='(possible )?cause'
			# a peer that may have ended may have answered before
			is_said "$verdict" "${!expected}" ||
				{ [ ${#device[@]} != 0 ] && is_said cause "$when_both"; } ||
				fail "$name, $how: '${!expected}' is not said"
			# a limit can be raised all the same; what comes after an error names it alone; rxe's
			# LOC_QP_OP_ERR may be a RECV that is too small
			[ "$how" = alone ] ||
				! grep '^ *possible cause ' "$work/said" |
				grep -qvE 'rnr_retry is|went to ERR|the RECV has room' ||
				fail "$name, $how: the cause is known, and others are accused"
		elif [ "$status" != 0 ] || [ -s "$work/said" ]; then
			fail "$name, $how: exit code $status, and this is said:"
		fi
	done
done <"$here/defects/defects.list"
echo "$rows programs"
[ $rows = 24 ] || failed=1
exit $failed

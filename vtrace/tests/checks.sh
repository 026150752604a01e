#!/bin/bash
# SPDX-License-Identifier: MIT
# checks.sh VTRACE DIR [CASE...]: the cases of checks/checks.list (those of these names), whose programs
# are in DIR, under vtrace --check. Exactly the rules of the list have to be named. UROCE: the command
# in front, on the embedded device. Cases run four at a time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
vtrace=$1
dir=$2
shift 2
address=${ADDRESS:-10.0.0.1}
device=()
[ "${RDMASH_DEVICE:-}" != uroce0 ] || device=("$UROCE")
# the programs leave memory, and use some that is gone, which the record copies
export ASAN_OPTIONS="detect_leaks=0:replace_intrin=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# AddressSanitizer has free() and realloc() of its own, behind which nobody sees them.
has_own_free=
! nm -D "$dir/memory" | grep -q __asan_init || has_own_free=1
is_seen() {
	[[ -z $has_own_free || $1 != *free* && $1 != *realloc* ]]
}

# Runs a case, and prints its line for counted.awk. In a machine of the lab each process takes long to
# start.
run_case() {
	local program=$1 name=$2 expected=$3 elsewhere=$4 said=$work/$2
	[ ${#device[@]} != 0 ] || [ -z "$elsewhere" ] || expected=$elsewhere
	is_seen "$name" || expected=${expected/#freed/}
	timeout 60 "${device[@]}" "$vtrace" --check -o "$said" "$dir/$program" "$address" "$name" \
		>"$said.out" 2>&1
	echo "$name|$expected|$?"
}

jobs=0
while IFS='|' read -r program name expected elsewhere; do
	case $program in \#* | '') continue ;; esac
	[ $# = 0 ] || [[ " $* " = *" $name "* ]] || continue
	[ "$program" != wrapper ] || is_seen free || continue # it has no other free() to go on to
	run_case "$program" "$name" "$expected" "$elsewhere" </dev/null &
	jobs=$((jobs + 1))
	[ $((jobs % 4)) != 0 ] || wait
done <"$here/checks/checks.list" >"$work/cases"
wait

awk -v DIR="$work" -f "$here/checks/counted.awk" "$work/cases"
failed=$?
[ $# != 0 ] || [ $jobs -ge 100 ] || failed=1
exit $failed

#!/bin/bash
# SPDX-License-Identifier: MIT
# checks.sh VTRACE DIR [CASE...]: the cases of checks/checks.list (those of these names), whose programs
# are in DIR, under vtrace --check. Exactly the rules of the list have to be named. UROCE: the command
# in front, on the embedded device. Cases run several at a time. A table counts, by rule, the cases
# that have it, those found, missed, and falsely found.
set -u
here=$(cd "$(dirname "$0")" && pwd)
vtrace=$1
dir=$2
shift 2
address=${ADDRESS:-10.0.0.1}
device=()
at_a_time=1 # a machine of the lab has little memory
if [ "${RDMASH_DEVICE:-}" = uroce0 ]; then
	device=("$UROCE")
	at_a_time=4
fi
# the programs leave memory, and use some that is gone, which the record copies
export ASAN_OPTIONS="detect_leaks=0:replace_intrin=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# AddressSanitizer has free() and realloc() of its own, behind which nobody sees them.
is_seen() {
	case $1 in
	*free* | *realloc*) ! nm -D "$dir/memory" | grep -q __asan_init ;;
	esac
}

# Runs a case, and writes what was expected, and what was said.
run_case() {
	local program=$1 name=$2 expected=$3 elsewhere=$4 said=$work/$2
	[ ${#device[@]} != 0 ] || [ -z "$elsewhere" ] || expected=$elsewhere
	is_seen "$name" || expected=${expected/#freed/}
	timeout 60 "${device[@]}" "$vtrace" --check -o "$said" "$dir/$program" "$address" "$name" \
		>"$said.out" 2>&1
	local status=$?
	echo "$expected" | tr ' ' '\n' | grep -v '^\(none\)\?$' >"$said.expected"
	grep -oE '^vtrace: (mistake|may be a mistake) \[[a-z-]+' "$said" | sed 's/.*\[//' |
		sort -u >"$said.found"
	[ $status != 124 ] || echo 'does not end' >>"$said.found"
	tail -n 1 "$said" | grep -qE '^vtrace: [0-9]+ mistakes?, ' || echo unchecked >>"$said.found"
}

jobs=0
while IFS='|' read -r program name expected elsewhere; do
	case $program in \#* | '') continue ;; esac
	[ $# = 0 ] || [[ " $* " = *" $name "* ]] || continue
	[ "$program" != wrapper ] || is_seen free || continue # it has no other free() to go on to
	run_case "$program" "$name" "$expected" "$elsewhere" </dev/null &
	names+=("$name")
	jobs=$((jobs + 1))
	[ $((jobs % at_a_time)) != 0 ] || wait
done <"$here/checks/checks.list"
wait

failed=0
for name in "${names[@]}"; do
	cat "$work/$name.expected" >>"$work/all.expected"
	cat "$work/$name.found" >>"$work/all.found"
	comm -12 "$work/$name.expected" "$work/$name.found" >>"$work/all.right"
	cmp -s "$work/$name.expected" "$work/$name.found" && continue
	failed=$((failed + 1))
	echo "FAILED: $name: expected '$(xargs <"$work/$name.expected")', found '$(xargs <"$work/$name.found")'"
	sed 's/^/    /' "$work/$name"
	sed 's/^/    | /' "$work/$name.out"
done

count() {
	grep -cx -- "$1" "$work/all.$2"
}
printf '%-16s %5s %5s %6s %7s\n' rule cases found missed falsely
sort -u "$work/all.expected" "$work/all.found" | while read -r rule; do
	printf '%-16s %5d %5d %6d %7d\n' "$rule" "$(count "$rule" expected)" "$(count "$rule" right)" \
		$(($(count "$rule" expected) - $(count "$rule" right))) \
		$(($(count "$rule" found) - $(count "$rule" right)))
done
echo "$jobs cases, $failed failed"
[ $# != 0 ] || [ $jobs -ge 100 ] || failed=1
exit $((failed != 0))

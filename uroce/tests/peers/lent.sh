#!/bin/bash
# SPDX-License-Identifier: MIT
#
# lent.sh PROGRAM-UROCE SOURCES CHECKS: programs that are built with a sanitizer run on the device, and
# those of their processes that are not. Memory that is used before its completion was polled is found,
# with the program's line; after it the sanitizer is silent.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh" "$@"
sources=$2 checks=$3

# case, and the sanitizers that find it
cases='recv-read address thread
recv-read-by-thread thread
recv-written address thread
read-used address thread
atomic-used address thread
send-changed thread
recv-shared address thread
flushed address'

build() { # COMPILER SANITIZER: 0: there is a program
	command -v "$1" >/dev/null &&
		"$1" -g -O1 -fsanitize="$2" -D_GNU_SOURCE -I"$checks" -I"$sources" "$sources/lent_app.c" \
			"$sources/qp_pair.c" -o "$tmp/app" -libverbs -pthread 2>"$tmp/built"
}

tried=0
for compiler in gcc clang; do
	for sanitizer in address thread; do
		build "$compiler" "$sanitizer" || continue
		tried=$((tried + 1))
		while read -r case finds; do
			ok "$compiler $sanitizer $case, right" "$uroce" "$tmp/app" "$case" right
			[[ " $finds " == *" $sanitizer "* ]] || continue
			! "$uroce" "$tmp/app" "$case" early >"$tmp/out" 2>&1 ||
				not_ok "$compiler $sanitizer $case, early: not found"
			grep -qE 'use-after-poison|data race' "$tmp/out" && grep -q 'lent_app\.c:' "$tmp/out" ||
				not_ok "$compiler $sanitizer $case, early: $(head -n 5 "$tmp/out")"
			grep -A 4 -E 'was posted at|lent_access' "$tmp/out" | grep -qE '(lent_app|qp_pair)\.c:[0-9]' ||
				not_ok "$compiler $sanitizer $case, early: the place of the post is not said"
		done <<<"$cases"
		ok "$compiler $sanitizer, traced" "$uroce" "${uroce%/*}/vtrace" -q --check "$tmp/app" read-used right
		# shellcheck disable=SC2016 # the program's own
		ok "$compiler $sanitizer, started by sh" "$uroce" sh -c '"$0" read-used right && ls /' "$tmp/app"
	done
done
[ "$tried" -gt 0 ] || { echo "skipped: no compiler with a sanitizer here"; exit 77; }
# the user's own options stay
ASAN_OPTIONS=detect_leaks=0 "$uroce" sh -c 'echo "$ASAN_OPTIONS"' >"$tmp/out"
[ "$(cat "$tmp/out")" = verify_asan_link_order=0:detect_leaks=0 ] || not_ok "ASAN_OPTIONS: $(cat "$tmp/out")"
finish
